import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { createCustomer } from '../queries.ts'
import { useSandboxTexts } from '../texts.ts'
import { Done } from './done.tsx'
import { TryForm } from './try-form.tsx'

export function CustomerForm({ onCustomer }: { onCustomer: (customer: string) => void }) {
  const { id: store } = useKnownStore()
  const { customer: texts } = useSandboxTexts()
  const [made, setMade] = useState<string | null>(null)
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', first_name: '', last_name: '', phone: '' } })
  const submit = useSubmit(form, {
    send: ({ email, first_name, last_name, phone }) =>
      createCustomer(store, {
        email,
        ...(first_name && { first_name }),
        ...(last_name && { last_name }),
        ...(phone.trim() && { phone: phone.replaceAll(/[\s()./-]/g, '') })
      }),
    onDone: ({ id }) => {
      setMade(id)
      onCustomer(id)
    }
  })
  const field = (name: string) => ({ key: form.key(name), ...form.getInputProps(name) })
  return (
    <TryForm texts={texts} submit={submit} result={made && <Done customer={made}>{texts.done}</Done>}>
      <TextInput label={texts.email} type="email" required withAsterisk={false} {...field('email')} />
      <TextInput label={texts.firstName} {...field('first_name')} />
      <TextInput label={texts.lastName} {...field('last_name')} />
      <TextInput label={texts.phone} description={texts.phoneHelp} type="tel" {...field('phone')} />
    </TryForm>
  )
}
