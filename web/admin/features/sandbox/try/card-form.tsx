import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { setCard } from '../queries.ts'
import { useSandboxTexts } from '../texts.ts'
import { CustomerField } from './customer-field.tsx'
import { Done } from './done.tsx'
import { type AboutCustomer, TryForm } from './try-form.tsx'

const OUTCOMES = [
  'insufficient_funds,success',
  'insufficient_funds',
  'expired_card',
  '3ds',
  'insufficient_inventory',
  'late',
  'success'
] as const

export function CardForm({ customer, onCustomer }: AboutCustomer) {
  const { id: store } = useKnownStore()
  const { card: texts } = useSandboxTexts()
  const [done, setDone] = useState<string | null>(null)
  const form = useForm({ initialValues: { chosen: OUTCOMES[0] as string, outcome: '' } })
  const submit = useSubmit(form, {
    fields: (field) => (field === 'customer' || field === 'outcome' ? field : null),
    send: ({ chosen, outcome }) => setCard(store, { customer: customer.trim(), outcome: chosen || outcome }),
    onDone: () => setDone(customer.trim())
  })
  return (
    <TryForm texts={texts} submit={submit} result={done && <Done customer={done}>{texts.done}</Done>}>
      <CustomerField customer={customer} onCustomer={onCustomer} error={form.errors.customer} />
      <NativeSelect
        label={texts.outcome}
        data={[
          ...OUTCOMES.map((value) => ({ value, label: texts.outcomes[value] })),
          { value: '', label: texts.others }
        ]}
        {...form.getInputProps('chosen')}
      />
      {form.values.chosen === '' && (
        <TextInput label={texts.sequence} description={texts.sequenceHelp} {...form.getInputProps('outcome')} />
      )}
    </TryForm>
  )
}
