import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { invitationsQuery, withdraw } from '../queries.ts'
import { useTeamTexts } from '../texts.ts'

/** The links that were not used yet, each with the way to withdraw it. */
export function Invitations() {
  const { timezone } = useKnownStore()
  const invitations = useQuery(invitationsQuery)
  const { email, role, invitations: texts } = useTeamTexts()
  const { roles } = useTexts()
  return (
    <QueryView query={invitations} height={0}>
      {(open) =>
        open.length > 0 && (
          <Section title={texts.title}>
            <PlainTable
              label={texts.title}
              rows={open}
              keyOf={({ id }) => id}
              empty=""
              columns={[
                { title: email, cell: (one) => one.email },
                { title: role, cell: (one) => (one.for_new_password ? texts.newPassword : roles[one.role]) },
                { title: texts.by, cell: ({ invited_by }) => invited_by ?? '–' },
                { title: texts.until, cell: ({ expires_at }) => <Instant at={expires_at} zone={timezone} /> },
                {
                  title: texts.action,
                  cell: (one) => (
                    <ConfirmButton
                      label={texts.withdraw}
                      title={texts.withdrawTitle(one.email)}
                      text={texts.withdrawText}
                      isHarmful
                      change={() => withdraw(one.id)}
                      done={texts.withdrawn}
                    />
                  )
                }
              ]}
            />
          </Section>
        )
      }
    </QueryView>
  )
}
