import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { placeOrder } from '../queries.ts'
import { useSandboxTexts } from '../texts.ts'
import { CustomerField } from './customer-field.tsx'
import { Done } from './done.tsx'
import { type AboutCustomer, TryForm } from './try-form.tsx'

export function OrderForm({ customer, onCustomer }: AboutCustomer) {
  const { id: store, currency } = useKnownStore()
  const { order: texts } = useSandboxTexts()
  const [done, setDone] = useState<{ customer: string; name: string } | null>(null)
  const form = useForm({ mode: 'uncontrolled', initialValues: { total: '40.00' } })
  const submit = useSubmit(form, {
    fields: (field) => (field === 'customer' || field === 'total' ? field : null),
    send: ({ total }) => placeOrder(store, { customer: customer.trim(), total: total.trim() }),
    onDone: ({ name }) => setDone({ customer: customer.trim(), name })
  })
  return (
    <TryForm
      texts={texts}
      submit={submit}
      result={done && <Done customer={done.customer}>{texts.done(done.name)}</Done>}
    >
      <CustomerField customer={customer} onCustomer={onCustomer} error={form.errors.customer} />
      <TextInput
        label={texts.total(currency)}
        inputMode="decimal"
        key={form.key('total')}
        {...form.getInputProps('total')}
      />
    </TryForm>
  )
}
