import { Button, Code, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { useDescribedOffer } from './offers/describe-offer.ts'
import { useReasonTitles } from './offers/offers.tsx'
import { type AcceptedOffer, acceptedQuery, offersQuery, revoke } from './queries.ts'
import { useRetentionTexts } from './texts.ts'

/** The offers that were accepted on contracts. */
export function AcceptedOffers() {
  const { id, timezone, currency } = useKnownStore()
  const [filters, change] = useSearchFilters(['status', 'offer', 'contract'])
  const accepted = useQuery(acceptedQuery(id, { ...filters, before: useBefore() }))
  const titleOf = useReasonTitles()
  const texts = useRetentionTexts()
  const { common } = useTexts()
  const mayRevoke = useMay('support')
  const { gives } = useDescribedOffer(currency)
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.acceptedAbout}
      </Text>
      <Filters filters={filters} change={change} />
      <QueryView query={accepted} height={240}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState
              title={isFiltered ? texts.noneMatches : texts.noAccepted}
              text={isFiltered ? '' : texts.noAcceptedText}
            />
          ) : (
            <>
              <PlainTable
                label={texts.part.accepted}
                rows={data}
                keyOf={(one) => String(one.id)}
                empty=""
                columns={[
                  {
                    title: texts.offer,
                    cell: (one) => (
                      <Stack gap={0} miw={160}>
                        <Text size="sm" fw={500} className="wrap-anywhere" lineClamp={3}>
                          {one.name}
                        </Text>
                        <Text size="sm" c="dimmed">
                          {gives(one)}
                        </Text>
                      </Stack>
                    )
                  },
                  { title: texts.subscription, cell: (one) => <Code>{one.subscription_id}</Code> },
                  { title: texts.reason, cell: ({ reason }) => (reason === null ? '–' : titleOf(reason)) },
                  { title: texts.when, cell: (one) => <Instant at={one.accepted_at} zone={timezone} /> },
                  { title: texts.status, cell: (one) => <AcceptedStatus accepted={one} /> },
                  ...(mayRevoke
                    ? [
                        {
                          title: common.actions,
                          isAction: true,
                          cell: (one: AcceptedOffer) => <Revoke accepted={one} />
                        }
                      ]
                    : [])
                ]}
              />
              <OlderLink next={next} />
            </>
          )
        }
      </QueryView>
    </Stack>
  )
}

type Names = 'status' | 'offer' | 'contract'
type FiltersProps = { filters: Record<Names, string>; change: (change: Partial<Record<Names, string>>) => void }

function Filters({ filters, change }: FiltersProps) {
  const { id } = useKnownStore()
  const { data: offers = [] } = useQuery(offersQuery(id))
  const texts = useRetentionTexts()
  const { common } = useTexts()
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <Group align="flex-end">
      <Select
        label={texts.status}
        placeholder={common.any}
        clearable
        value={filters.status || null}
        onChange={(status) => change({ status: status ?? '' })}
        data={Object.entries(texts.acceptedStatuses).map(([value, label]) => ({ value, label }))}
        w={150}
      />
      <Select
        label={texts.offer}
        placeholder={common.any}
        clearable
        value={filters.offer || null}
        onChange={(offer) => change({ offer: offer ?? '' })}
        data={offers.map((offer) => ({ value: String(offer.id), label: offer.name.slice(0, 100) }))}
        w={220}
      />
      {isFiltered && (
        <Button variant="subtle" onClick={() => change({ status: '', offer: '', contract: '' })}>
          {texts.clear}
        </Button>
      )}
    </Group>
  )
}

function AcceptedStatus({ accepted: { status, ended_by, reward } }: { accepted: AcceptedOffer }) {
  const texts = useRetentionTexts()
  const { count } = useFormats()
  return (
    <Stack gap={2}>
      <StatusBadge status={status} names={texts.acceptedStatuses} />
      <Text size="xs" c="dimmed">
        {ended_by ? texts.endedBy[ended_by] : usedOf()}
      </Text>
    </Stack>
  )

  function usedOf(): string | null {
    if (!('usage_count' in reward)) return null
    const { usage_count: used, recurring_cycle_limit: limit } = reward as {
      usage_count: number
      recurring_cycle_limit: number | null
    }
    return limit === null ? texts.used(count(used)) : texts.usedOf(count(used), count(limit))
  }
}

function Revoke({ accepted }: { accepted: AcceptedOffer }) {
  const { id } = useKnownStore()
  const texts = useRetentionTexts()
  if (accepted.status !== 'active') return null
  return (
    <ConfirmButton
      label={texts.revoke}
      aria-label={`${texts.revoke}: ${accepted.subscription_id}`}
      title={texts.revokeTitle(accepted.name)}
      text={texts.revokeText[accepted.type]}
      isHarmful
      change={() => revoke(id, accepted.id)}
      done={texts.revoked}
    />
  )
}
