import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/language.tsx'
import { CopyField } from './copy-field.tsx'
import { Dialog } from './dialog.tsx'

type Props = {
  title: string
  label: string
  /** What is shown once; the dialog is open while there is one. */
  secret: string | null
  text: string
  onClose: () => void
  children?: ReactNode
}

/** A secret that nobody can show again. Only its button closes it, so that no key pressed by mistake loses it. */
export function OnceDialog({ title, label, secret, text, onClose, children }: Props) {
  const { once } = useTexts()
  return (
    <Dialog title={title} isOpen={secret !== null} size="lg">
      <Stack>
        <Alert color="yellow" variant="outline">
          <Text fw={600} size="sm">
            {once.title}
          </Text>
          <Text size="sm">{once.text}</Text>
        </Alert>
        <CopyField label={label} value={secret ?? ''} />
        <Text size="sm">{text}</Text>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>{once.stored}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
