import { NativeSelect } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plansQuery } from '../../../shared/api/plans.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { joinPlan } from '../queries.ts'
import { useSandboxTexts } from '../texts.ts'
import { CustomerField } from './customer-field.tsx'
import { Done } from './done.tsx'
import { type AboutCustomer, TryForm } from './try-form.tsx'

export function JoinForm({ customer, onCustomer }: AboutCustomer) {
  const { id: store } = useKnownStore()
  const { join: texts } = useSandboxTexts()
  const { data: plans = [], isSuccess } = useQuery(plansQuery(store))
  const [joined, setJoined] = useState<string | null>(null)
  const form = useForm({ initialValues: { plan: '' } })
  const chosen = form.values.plan || (plans[0]?.name ?? '')
  const submit = useSubmit(form, {
    fields: (field) => (field === 'customer' || field === 'plan' ? field : null),
    send: () => joinPlan(store, { customer: customer.trim(), plan: chosen }),
    onDone: () => setJoined(customer.trim())
  })
  return (
    <TryForm texts={texts} submit={submit} result={joined && <Done customer={joined}>{texts.done}</Done>}>
      <CustomerField customer={customer} onCustomer={onCustomer} error={form.errors.customer} />
      <NativeSelect
        label={texts.plan}
        description={isSuccess && plans.length === 0 && texts.noPlans}
        data={plans.map(({ name }) => name)}
        {...form.getInputProps('plan')}
        value={chosen}
      />
    </TryForm>
  )
}
