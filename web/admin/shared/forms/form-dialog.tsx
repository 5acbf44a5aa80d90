import { Button, Group, Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { useTexts } from '../texts/language.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormAlert } from './form-alert.tsx'

type Props = {
  title: string
  submitLabel: string
  /** What `useSubmit` gives. */
  submit: { onSubmit: FormEventHandler<HTMLFormElement>; isPending: boolean; general: string | null }
  isHarmful?: boolean
  size?: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}

/** A form in a dialog. It stays open, with everything in it, until the change is made. */
export function FormDialog({
  title,
  submitLabel,
  submit,
  isHarmful = false,
  size = 'md',
  isOpen,
  onClose,
  children
}: Props) {
  const { common } = useTexts()
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size={size}>
      <form onSubmit={submit.onSubmit} noValidate>
        <Stack>
          <FormAlert message={submit.general} />
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" color={isHarmful ? 'red' : undefined} loading={submit.isPending}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
