import { Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { alsoTelling } from '../../../shared/forms/also-telling.ts'
import { creditQuery } from '../queries.ts'
import { useMemberTexts } from './texts.ts'

type Props = {
  customer: string
  /** 1 adds to the balance, -1 takes from it. */
  sign: 1 | -1
  /** What the form gives its input. */
  field: Record<string, unknown>
}

/** The amount of a change of store credit, with the balance as it is and as it would be. */
export function AmountField({ customer, sign, field }: Props) {
  const { id: store, currency: ofShop } = useKnownStore()
  const { data: account } = useQuery(creditQuery(store, customer))
  const texts = useMemberTexts()
  const { money } = useFormats()
  const [typed, setTyped] = useState('')
  const currency = account?.currency ?? ofShop
  const balance = account?.balance ?? 0
  // What the service accepts as an amount, as far as a preview needs it: the service decides.
  const amount = /^\d{1,9}(\.\d+)?$/.test(typed.trim()) ? Number(typed) : null
  return (
    <>
      <TextInput
        label={`${texts.amount} (${currency})`}
        inputMode="decimal"
        required
        {...alsoTelling(field, setTyped)}
      />
      <Text size="sm" aria-live="polite">
        {texts.balanceNow(money(balance, currency))}
        {amount !== null && ` ${texts.balanceAfter(money(balance + sign * amount, currency))}`}
      </Text>
    </>
  )
}
