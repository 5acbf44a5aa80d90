import { CloseButton, Group, Modal } from '@mantine/core'
import { type ReactNode, useSyncExternalStore } from 'react'
import { isSignInNeeded } from '../api/session-gate.ts'
import { useTexts } from '../texts/language.tsx'

/** Above those of Mantine, which have 200. */
const OVER_OTHERS = 250

type Props = {
  title: string
  isOpen: boolean
  onClose?: () => void
  size?: string
  /** For dialogs in which nothing can be lost. */
  closesOnClickBeside?: boolean
  /** For the one that may come over another. */
  isOverOthers?: boolean
  children: ReactNode
}

/**
 * A dialog over the page. A click beside it does not close it, so that nothing typed is lost; without `onClose` nothing does. While somebody has to
 * sign in again, nothing closes what is below.
 */
export function Dialog({
  title,
  isOpen,
  onClose,
  size = 'md',
  closesOnClickBeside = false,
  isOverOthers = false,
  children
}: Props) {
  const { common } = useTexts()
  const isBelow = useSyncExternalStore(isSignInNeeded.subscribe, isSignInNeeded.get) && !isOverOthers
  return (
    <Modal.Root
      opened={isOpen}
      onClose={() => onClose?.()}
      closeOnClickOutside={closesOnClickBeside}
      closeOnEscape={onClose !== undefined && !isBelow}
      {...(isOverOthers && { zIndex: OVER_OTHERS })}
      size={size}
      centered
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* Modal.Header would be a second banner of the page. */}
        <Modal.Body pt="md">
          <Group justify="space-between" align="flex-start" wrap="nowrap" mb="xs">
            <Modal.Title fw={600} className="wrap-anywhere">
              {title}
            </Modal.Title>
            {onClose && <CloseButton aria-label={common.close} onClick={onClose} />}
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
