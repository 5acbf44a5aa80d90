import { Button, Group, Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { useTexts } from '../texts/language.tsx'
import { FormAlert } from './form-alert.tsx'

export type FormPartsProps = {
  submitLabel: string
  /** What `useSubmit` gives. */
  submit: { onSubmit: FormEventHandler<HTMLFormElement>; isPending: boolean; general: string | null }
  isHarmful?: boolean
  onClose: () => void
  children: ReactNode
}

/** The form of a dialog: what was refused, its fields, and its buttons. */
export function FormParts({ submitLabel, submit, isHarmful = false, onClose, children }: FormPartsProps) {
  const { common } = useTexts()
  return (
    <form onSubmit={submit.onSubmit} noValidate>
      <Stack>
        {children}
        <FormAlert message={submit.general} />
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
  )
}
