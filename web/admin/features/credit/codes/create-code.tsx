import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import type { Account, Customer } from '../queries.ts'
import { createCode, type EnteredCode } from './queries.ts'
import { useCodesTexts } from './texts.ts'

type Props = { customer: Customer; account: Account }

/** A button that makes a code which spends credit of a customer, to give it to them. */
export function CreateCode(props: Props) {
  const { create: texts } = useCodesTexts()
  return (
    <DialogButton label={texts.label} title={texts.title}>
      {(close) => <Form {...props} onClose={close} />}
    </DialogButton>
  )
}

function Form({ customer, account, onClose }: Props & { onClose: () => void }) {
  const { id: store } = useKnownStore()
  const { create: texts } = useCodesTexts()
  const { money } = useFormats()
  const form = useForm<Required<EnteredCode>>({ initialValues: { amount: '', duration: '60' } })
  const submit = useSubmit(form, {
    send: (entered) => createCode(store, customer.id, entered),
    // Of a live store the platform has it a moment later.
    done: ({ code }) => (code === null ? texts.soon : texts.done(code)),
    onDone: onClose
  })
  return (
    <FormParts submitLabel={texts.label} submit={submit} onClose={onClose}>
      <Text size="sm">{texts.text}</Text>
      <TextInput
        label={texts.amount(account.currency)}
        description={texts.amountHelp(money(account.available, account.currency))}
        inputMode="decimal"
        data-autofocus
        {...form.getInputProps('amount')}
      />
      <TextInput
        label={texts.duration}
        description={texts.durationHelp}
        inputMode="numeric"
        {...form.getInputProps('duration')}
      />
    </FormParts>
  )
}
