import { Alert, Button, Checkbox, NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useKnownStore } from '../../shared/api/stores.ts'
import { FormDialog } from '../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { createRequest, type Topic } from './queries.ts'
import { usePrivacyTexts } from './texts.ts'

/** Asks for a file of what is held about a customer, or for their erasure, which has to be confirmed. */
export function NewRequestButton() {
  const { id: store } = useKnownStore()
  const { start: texts, topics } = usePrivacyTexts()
  const [isOpen, { open, close }] = useDisclosure()
  const form = useForm({
    initialValues: {
      topic: 'customers/data_request' as Topic,
      customer: '',
      phone: '',
      end_subscriptions: false,
      isSure: false
    },
    validate: {
      isSure: (isSure, { topic }) => (topic === 'customers/redact' && !isSure ? texts.sureNeeded : null)
    }
  })
  const isErasure = form.values.topic === 'customers/redact'
  const submit = useSubmit(form, {
    send: ({ topic, customer, phone, end_subscriptions }) =>
      createRequest(store, {
        topic,
        ...(customer.trim() !== '' && { customer: customer.trim() }),
        ...(phone.trim() !== '' && { phone: phone.trim() }),
        ...(topic === 'customers/redact' && end_subscriptions && { end_subscriptions })
      }),
    done: ({ customers_found }) => texts.done(customers_found),
    onDone: () => {
      close()
      form.reset()
    }
  })
  // Nothing of a request that was given up, such as that somebody is sure.
  const begin = () => {
    form.reset()
    open()
  }
  return (
    <>
      <Button onClick={begin}>{texts.label}</Button>
      <FormDialog
        title={texts.title}
        submitLabel={isErasure ? texts.erase : texts.export}
        submit={submit}
        isHarmful={isErasure}
        isOpen={isOpen}
        onClose={close}
      >
        <NativeSelect
          label={texts.what}
          data={[
            { value: 'customers/data_request', label: topics['customers/data_request'] ?? '' },
            { value: 'customers/redact', label: topics['customers/redact'] ?? '' }
          ]}
          {...form.getInputProps('topic')}
        />
        <Text size="sm">{isErasure ? texts.erasureText : texts.exportText}</Text>
        <TextInput label={texts.customer} description={texts.customerHelp} {...form.getInputProps('customer')} />
        <TextInput label={texts.phone} description={texts.phoneHelp} {...form.getInputProps('phone')} />
        {isErasure && (
          <>
            <Switch
              label={texts.end}
              description={texts.endHelp}
              {...form.getInputProps('end_subscriptions', { type: 'checkbox' })}
            />
            <Alert color="red" variant="outline">
              <Checkbox label={texts.sure} {...form.getInputProps('isSure', { type: 'checkbox' })} />
            </Alert>
          </>
        )}
      </FormDialog>
    </>
  )
}
