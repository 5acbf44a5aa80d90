import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { May, useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../../shared/ui/named-cell.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { CampaignForm } from './campaign-form.tsx'
import { type Campaign, campaignsQuery, removeCampaign } from './queries.ts'
import { useWalletTexts } from './texts.ts'

/** The sales that passes show. */
export function Campaigns() {
  const { id, timezone } = useKnownStore()
  const campaigns = useQuery(campaignsQuery(id))
  const { sales: texts } = useWalletTexts()
  const { common } = useTexts()
  const mayManage = useMay('manage')
  return (
    <Section
      title={texts.title}
      aside={
        <May permission="manage">
          <DialogButton label={texts.add} title={texts.add} size="lg">
            {(close) => <CampaignForm campaign={null} onClose={close} />}
          </DialogButton>
        </May>
      }
    >
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <QueryView query={campaigns}>
        {(all) => (
          <PlainTable
            label={texts.title}
            rows={all}
            keyOf={(one) => one.id}
            empty={texts.none}
            columns={[
              { title: texts.sale, cell: ({ title, text }) => <NamedCell name={title} about={text} /> },
              { title: texts.status, cell: (one) => <StatusBadge status={statusOf(one)} names={texts.statuses} /> },
              {
                title: texts.starts,
                cell: ({ starts_at }) =>
                  starts_at === null ? texts.atOnce : <Instant at={starts_at} zone={timezone} />
              },
              {
                title: texts.ends,
                cell: ({ ends_at }) => (ends_at === null ? texts.never : <Instant at={ends_at} zone={timezone} />)
              },
              ...(mayManage
                ? [{ title: common.actions, isAction: true, cell: (one: Campaign) => <Actions campaign={one} /> }]
                : [])
            ]}
          />
        )}
      </QueryView>
    </Section>
  )
}

/** One that is switched off is told from one whose dates are another time. */
const statusOf = ({ status, enabled }: Campaign) => (status === 'active' ? status : enabled ? 'waiting' : 'off')

function Actions({ campaign }: { campaign: Campaign }) {
  const { id } = useKnownStore()
  const { sales: texts } = useWalletTexts()
  const { common } = useTexts()
  const name = campaign.title.slice(0, 100)
  return (
    <Group gap="xs" wrap="nowrap">
      <DialogButton label={common.edit} aria-label={`${common.edit}: ${name}`} title={campaign.title} size="lg">
        {(close) => <CampaignForm campaign={campaign} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={texts.remove.label}
        aria-label={`${texts.remove.label}: ${name}`}
        title={texts.remove.title(name)}
        text={texts.remove.text}
        isHarmful
        change={() => removeCampaign(id, campaign.id)}
        done={texts.remove.done}
      />
    </Group>
  )
}
