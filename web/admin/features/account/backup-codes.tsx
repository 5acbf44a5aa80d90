import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { useAccountTexts } from './texts.ts'

/** The codes, which are shown once. Nothing but the button closes them. */
export function BackupCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const texts = useAccountTexts()
  return (
    <Dialog title={texts.backupCodes} isOpen>
      <Stack>
        <Text size="sm">{texts.backupText}</Text>
        <Textarea
          aria-label={texts.backupCodes}
          value={codes.join('\n')}
          readOnly
          autosize
          ff="monospace"
          onFocus={(event) => event.currentTarget.select()}
        />
        <Group justify="flex-end">
          <Button onClick={onClose}>{texts.kept}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
