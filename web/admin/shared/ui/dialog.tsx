import { CloseButton, Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/language.tsx'

type Props = {
  title: string
  isOpen: boolean
  onClose?: () => void
  size?: string
  /** For dialogs in which nothing can be lost. */
  closesOnClickBeside?: boolean
  children: ReactNode
}

/** A dialog over the page. A click beside it does not close it, so that nothing typed is lost; without `onClose` nothing does. */
export function Dialog({ title, isOpen, onClose, size = 'md', closesOnClickBeside = false, children }: Props) {
  const { common } = useTexts()
  return (
    <Modal.Root
      opened={isOpen}
      onClose={() => onClose?.()}
      closeOnClickOutside={closesOnClickBeside}
      closeOnEscape={onClose !== undefined}
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
