import { Button, Group, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useChange } from '../../../shared/api/use-change.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { May } from '../../../shared/session/may.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { discountsQuery, syncDiscounts } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

/** How members get their prices at the platform's checkout. */
export function Discounts() {
  const { id, timezone } = useKnownStore()
  const discounts = useQuery(discountsQuery(id))
  const texts = usePlatformTexts()
  const sync = useChange({ change: () => syncDiscounts(id), done: texts.synced })
  const { discountColumns } = texts
  return (
    <Section title={texts.discounts}>
      <QueryView query={discounts}>
        {(known) => (
          <>
            <Text size="sm">{texts.enforcedBy[known.enforced_by] ?? known.enforced_by}</Text>
            {known.function_handle && (
              <Text size="sm">
                {texts.functionHandle}: <code>{known.function_handle}</code>
              </Text>
            )}
            {known.last_error && (
              <Text size="sm" className="bad-news wrap-anywhere">
                {texts.lastError}: {known.last_error}
              </Text>
            )}
            <PlainTable
              label={texts.discounts}
              rows={known.discounts}
              keyOf={({ slot }) => slot}
              empty={texts.noDiscounts}
              columns={[
                { title: discountColumns.discount, cell: ({ slot }) => texts.slots[slot] ?? slot },
                {
                  title: discountColumns.state,
                  cell: ({ active }) => (
                    <StatusBadge status={active ? 'active' : 'inactive'} names={texts.discountStates} />
                  )
                },
                { title: discountColumns.id, cell: ({ platform_id }) => platform_id ?? '–' },
                {
                  title: discountColumns.problem,
                  cell: ({ problem }) => <span className="wrap-anywhere">{problem ?? '–'}</span>
                }
              ]}
            />
            {known.not_enforced.length > 0 && (
              <>
                <Text size="sm" fw={500}>
                  {texts.notEnforced}
                </Text>
                <List size="sm">
                  {known.not_enforced.map(({ plan_type, field, message }) => (
                    <List.Item key={`${plan_type} ${field}`}>
                      {plan_type.toUpperCase()}, <code>{field}</code>: {message}
                    </List.Item>
                  ))}
                </List>
              </>
            )}
            <Text size="xs" c="dimmed">
              {texts.comparedAt}: <Instant at={known.compared_at} zone={timezone} />
              {known.next_comparison_at && (
                <>
                  {' · '}
                  {texts.nextComparison}: <Instant at={known.next_comparison_at} zone={timezone} />
                </>
              )}
            </Text>
          </>
        )}
      </QueryView>
      <May permission="develop">
        <Group>
          <Button variant="default" size="xs" loading={sync.isPending} onClick={() => sync.start()}>
            {texts.sync}
          </Button>
        </Group>
      </May>
    </Section>
  )
}
