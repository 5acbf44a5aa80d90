import { Button, type ButtonProps, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useChange } from '../api/use-change.ts'
import { useTexts } from '../texts/language.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'

type Props = ButtonProps & {
  label: string
  /** What is asked, and what will happen. */
  title: string
  text: ReactNode
  confirmLabel?: string
  isHarmful?: boolean
  /** Whether it can be confirmed now; the text says why not. */
  isPossible?: boolean
  change: () => Promise<unknown>
  done: string
  onDone?: () => void
}

/** A button for an action that asks first and says what it will do. */
export function ConfirmButton({
  label,
  title,
  text,
  confirmLabel = label,
  isHarmful = false,
  isPossible = true,
  change,
  done,
  onDone,
  ...button
}: Props) {
  const { common } = useTexts()
  const [isOpen, { open, close }] = useDisclosure()
  const { start, isPending, error, reset } = useChange({
    change,
    done,
    inForm: true,
    onDone: () => {
      close()
      onDone?.()
    }
  })
  const ask = () => {
    reset()
    open()
  }
  return (
    <>
      <Button variant="default" size="xs" {...button} onClick={ask}>
        {label}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        <Stack>
          {typeof text === 'string' ? <Text size="sm">{text}</Text> : text}
          {error && <Failure error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {isPossible ? common.cancel : common.close}
            </Button>
            {isPossible && (
              <Button color={isHarmful ? 'red' : undefined} loading={isPending} onClick={() => start()} data-autofocus>
                {confirmLabel}
              </Button>
            )}
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
