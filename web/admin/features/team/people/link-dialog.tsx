import { Text } from '@mantine/core'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { OnceDialog } from '../../../shared/ui/once-dialog.tsx'
import { useTeamTexts } from '../texts.ts'

export type Link = { url: string; expires_at: string }

type Props = { title: string; text: string; link: Link | null; onClose: () => void }

/** A link that works once, and is shown once. */
export function LinkDialog({ title, text, link, onClose }: Props) {
  const { timezone } = useKnownStore()
  const texts = useTeamTexts()
  return (
    <OnceDialog title={title} label={texts.link} secret={link?.url ?? null} text={text} onClose={onClose}>
      {link && (
        <Text size="sm">
          {texts.worksUntil} <Instant at={link.expires_at} zone={timezone} />
        </Text>
      )}
    </OnceDialog>
  )
}
