import { Group, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import { integerOf } from '../../../shared/forms/integer-of.ts'
import { May } from '../../../shared/session/may.tsx'
import { loyaltyQuery } from '../queries.ts'
import { AmountField } from './amount-field.tsx'
import { useMemberTexts } from './texts.ts'

/** What is changed by hand about a customer: store credit and points. Subscriptions have pages of their own. */
export function Actions({ customer }: { customer: string }) {
  const { id: store } = useKnownStore()
  const texts = useMemberTexts()
  const path = { store, customer }
  const addCredit = (body: { amount?: string; reason?: string; expires_at?: string }) =>
    bodyOf(
      api.POST('/stores/{store}/store-credits/{customer}/add', {
        params: { path },
        body: { ...body, amount: body.amount ?? '', reason: body.reason ?? '' }
      })
    )
  const deductCredit = ({ amount = '', reason = '' }: { amount?: string; reason?: string }) =>
    bodyOf(api.POST('/stores/{store}/store-credits/{customer}/deduct', { params: { path }, body: { amount, reason } }))
  const setPoints = ({ balance = '', reason = '' }: { balance?: string; reason?: string }) =>
    bodyOf(
      api.POST('/stores/{store}/loyalty/customers/{customer}/points', {
        params: { path },
        body: { balance: integerOf(balance), reason }
      })
    )
  return (
    <May permission="support">
      <Group gap="xs">
        <ActionForm texts={texts.addCredit} values={{ amount: '', reason: '', expires_at: '' }} send={addCredit}>
          {(field) => (
            <>
              <AmountField customer={customer} sign={1} field={field('amount')} />
              <Textarea label={texts.reason} autosize maxRows={6} required {...field('reason')} />
              <TextInput type="date" label={texts.expires} description={texts.expiresHelp} {...field('expires_at')} />
            </>
          )}
        </ActionForm>
        <ActionForm texts={texts.deductCredit} values={{ amount: '', reason: '' }} send={deductCredit}>
          {(field) => (
            <>
              <AmountField customer={customer} sign={-1} field={field('amount')} />
              <Textarea label={texts.reason} autosize maxRows={6} required {...field('reason')} />
            </>
          )}
        </ActionForm>
        <ActionForm texts={texts.setPoints} values={{ balance: '', reason: '' }} send={setPoints}>
          {(field) => (
            <>
              <PointsNow customer={customer} />
              <TextInput label={texts.newPoints} inputMode="numeric" required {...field('balance')} />
              <Textarea label={texts.reason} autosize maxRows={6} required {...field('reason')} />
            </>
          )}
        </ActionForm>
      </Group>
    </May>
  )
}

function PointsNow({ customer }: { customer: string }) {
  const { id: store } = useKnownStore()
  const { data } = useQuery(loyaltyQuery(store, customer))
  const texts = useMemberTexts()
  const { count } = useFormats()
  return data === undefined ? null : <Text size="sm">{texts.pointsNow(count(data?.loyalty_points ?? 0))}</Text>
}
