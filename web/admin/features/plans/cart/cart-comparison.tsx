import { Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../shared/api/errors.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { fieldSentence } from '../../../shared/forms/field-sentence.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { Failure } from '../../../shared/ui/failure.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { type CartPrice, cartPriceQuery, type PlanChange } from '../queries.ts'
import type { Cart } from './cart.ts'
import { useReasonWords } from './reasons.ts'
import { useCartTexts } from './texts.ts'

/** As long as somebody types, nothing is asked. */
const SETTLED_MS = 250

/** What a cart costs a member of a plan, and what it costs others. `perks`: as if they were saved. */
export function useCartPrices(cart: Cart, plan: string, perks?: PlanChange['perks']) {
  const { id } = useKnownStore()
  const { errors } = useTexts()
  const [settledCart] = useDebouncedValue(cart, SETTLED_MS)
  const [settledPerks] = useDebouncedValue(perks, SETTLED_MS)
  const member = useQuery(cartPriceQuery(id, settledCart, plan, settledPerks))
  const nonMember = useQuery(cartPriceQuery(id, settledCart, null))
  const error = member.error ?? nonMember.error
  const refused = error instanceof ApiError ? error.details : []
  return {
    // A price of other entries would be wrong.
    prices: !error && member.data && nonMember.data ? { member: member.data, nonMember: nonMember.data } : null,
    error,
    errors: Object.fromEntries(refused.map((one) => [one.field, fieldSentence(one, errors)]))
  }
}

type Props = { label: string; cart: Cart; shown: ReturnType<typeof useCartPrices> }

/** The prices of a cart side by side, and why a member pays what they pay. */
export function CartComparison({ label, cart, shown: { prices, error } }: Props) {
  const texts = useCartTexts()
  const { money } = useFormats()
  const wordsOf = useReasonWords(prices?.member.currency)
  if (error) {
    return error instanceof ApiError && error.details.length > 0 ? (
      <Text c="dimmed">{texts.noPrices}</Text>
    ) : (
      <Failure error={error} />
    )
  }
  if (!prices) return null
  const { member, nonMember } = prices
  const { currency } = member
  const amount = (value: number) => money(value, currency)
  const rows = [...lineRows(), ...shippingRows()]
  const [before, after] = [nonMember, member].map((price) => price.total + shippingOf(price)) as [number, number]
  return (
    <Stack gap="xs">
      <PlainTable
        label={label}
        rows={rows}
        keyOf={(row) => row.key}
        empty=""
        columns={[
          {
            title: texts.item,
            cell: (row) => (
              <>
                {row.name}
                <Text size="xs" c="dimmed">
                  {row.why}
                </Text>
              </>
            )
          },
          { title: texts.nonMember, isNumber: true, cell: (row) => amount(row.before) },
          { title: texts.member, isNumber: true, cell: (row) => amount(row.after) }
        ]}
        sums={[texts.total, amount(before), amount(after)]}
      />
      <Text role="status" size="sm" fw={600}>
        {before > after ? texts.saves(amount(before - after)) : texts.savesNothing}
      </Text>
    </Stack>
  )

  function lineRows() {
    return member.lines.map((line, i) => ({
      key: `line ${line.id}`,
      name: texts.lineOf(line.product_id, String(line.quantity)),
      before: nonMember.lines[i]?.total ?? line.total,
      after: line.total,
      why: line.reasons.map(wordsOf).join('; ')
    }))
  }

  function shippingRows() {
    if (!cart.shippingMethod.trim()) return []
    const why = wordsOf(member.shipping.reason)
    return [{ key: 'shipping', name: texts.shipping, before: shippingOf(nonMember), after: shippingOf(member), why }]
  }

  function shippingOf({ shipping }: CartPrice): number {
    if (!cart.shippingMethod.trim()) return 0
    return (Number(cart.shippingPrice) || 0) - shipping.discount
  }
}
