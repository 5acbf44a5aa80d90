import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { May, useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../../shared/ui/named-cell.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type Tier, tiersQuery } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { useTierTexts } from './texts.ts'
import { TierForm } from './tier-form.tsx'

type Numbers = Record<string, number | undefined>

/** The tiers of loyalty, the lowest first. */
export function Tiers() {
  const { id, currency } = useKnownStore()
  const tiers = useQuery(tiersQuery(id))
  const texts = useTierTexts()
  const { name, status } = useLoyaltyTexts()
  const { common } = useTexts()
  const { money, count, percent } = useFormats()
  const mayManage = useMay('manage')
  const create = (
    <May permission="manage">
      <DialogButton label={texts.create} title={texts.create} size="lg" variant="filled">
        {(close) => <TierForm tier={null} onClose={close} />}
      </DialogButton>
    </May>
  )
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.about}
      </Text>
      <QueryView query={tiers} height={240}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText}>
              {create}
            </EmptyState>
          ) : (
            <>
              <Group justify="flex-end">{create}</Group>
              <PlainTable
                label={texts.list}
                rows={all.toSorted((a, b) => a.order - b.order)}
                keyOf={(tier) => String(tier.id)}
                empty=""
                columns={[
                  { title: texts.place, isNumber: true, cell: ({ order }) => count(order) },
                  { title: name, cell: (tier) => <NamedCell name={tier.name} about={tier.description} /> },
                  { title: texts.needs, cell: needsOf },
                  { title: texts.gives, cell: givesOf },
                  { title: texts.customers, isNumber: true, cell: ({ customers }) => count(customers) },
                  {
                    title: status,
                    cell: (tier) => <StatusBadge status={tier.is_active ? 'active' : 'off'} names={texts.statuses} />
                  },
                  ...(mayManage
                    ? [
                        {
                          title: common.actions,
                          isAction: true,
                          cell: (tier: Tier) => (
                            <DialogButton
                              label={common.edit}
                              aria-label={`${common.edit}: ${tier.name.slice(0, 100)}`}
                              title={tier.name}
                              size="lg"
                            >
                              {(close) => <TierForm tier={tier} onClose={close} />}
                            </DialogButton>
                          )
                        }
                      ]
                    : [])
                ]}
              />
            </>
          )
        }
      </QueryView>
    </Stack>
  )

  function needsOf({ entry_rules }: Tier): string {
    const { points_earned, min_spend, min_orders } = entry_rules as Numbers
    const words = [
      min_spend !== undefined && texts.says.min_spend(money(min_spend, currency)),
      points_earned !== undefined && texts.says.points_earned(count(points_earned)),
      min_orders !== undefined && texts.says.min_orders(count(min_orders))
    ].filter(Boolean)
    return words.length === 0 ? texts.nothing : words.join(', ')
  }

  function givesOf({ reward_rules, multiplier_points }: Tier): string {
    const { points, discount, shipping_discount } = reward_rules as Numbers
    const words = [
      multiplier_points !== 1 && texts.says.multiplier(count(multiplier_points)),
      points !== undefined && texts.says.points(count(points)),
      discount !== undefined && texts.says.discount(percent(discount)),
      shipping_discount !== undefined && texts.says.shipping
    ].filter(Boolean)
    return words.length === 0 ? '–' : words.join(', ')
  }
}
