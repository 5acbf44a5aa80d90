import { Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { type Link, LinkDialog } from '../people/link-dialog.tsx'
import { actionsFor, type Person } from '../queries.ts'
import { useTeamTexts } from '../texts.ts'

/** What an owner can do for or about somebody's account. */
export function AccountActions({ person }: { person: Person }) {
  const { id: store } = useKnownStore()
  const texts = useTeamTexts()
  const [link, setLink] = useState<Link | null>(null)
  const navigate = useNavigate()
  const { makePasswordLink, removeSecondFactor, endSessions, remove } = actionsFor(person.id)
  return (
    <Section title={texts.access}>
      <Stack>
        <Action text={texts.passwordLink.help}>
          <ConfirmButton {...texts.passwordLink} change={() => makePasswordLink().then(setLink)} />
        </Action>
        <Action text={texts.endSessions.help}>
          <ConfirmButton {...texts.endSessions} change={endSessions} />
        </Action>
        {person.two_factor && (
          <Action text={texts.removeSecondFactor.help}>
            <ConfirmButton {...texts.removeSecondFactor} change={removeSecondFactor} isHarmful />
          </Action>
        )}
        <Action text={texts.remove.help}>
          <ConfirmButton
            {...texts.remove}
            title={texts.remove.title(person.name.slice(0, 80))}
            change={async () => {
              await remove()
              await navigate(`/stores/${store}/team`)
            }}
            isHarmful
          />
        </Action>
      </Stack>
      <LinkDialog
        title={texts.passwordLink.linkTitle}
        text={texts.passwordLink.linkText(person.email)}
        link={link}
        onClose={() => setLink(null)}
      />
    </Section>
  )
}

function Action({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" flex="1 1 16rem">
        {text}
      </Text>
      {children}
    </Group>
  )
}
