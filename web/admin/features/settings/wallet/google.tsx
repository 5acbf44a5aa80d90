import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { FileField } from '../../../shared/forms/file-field.tsx'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { OneWallet } from './one-wallet.tsx'
import { setGoogle, type Wallet } from './queries.ts'
import { refusedFile, textOf } from './secret-file.ts'
import { useWalletTexts } from './texts.ts'

/** What signs links for Google Wallet and opens its API. */
export function Google({ google }: { google: Wallet['google'] }) {
  const { timezone } = useKnownStore()
  const { google: texts } = useWalletTexts()
  return (
    <OneWallet
      kind="google"
      facts={
        google && [
          [texts.issuer, <code key="issuer">{google.issuer_id}</code>],
          [texts.account, <code key="account">{google.account}</code>],
          [texts.updated, <Instant key="updated" at={google.updated_at} zone={timezone} />]
        ]
      }
      form={(close) => <Form issuer={google?.issuer_id ?? ''} onClose={close} />}
    />
  )
}

function Form({ issuer, onClose }: { issuer: string; onClose: () => void }) {
  const { id } = useKnownStore()
  const { google: texts, file, wallets } = useWalletTexts()
  const form = useForm({
    initialValues: { issuer_id: issuer, service_account: null as File | null },
    validate: { service_account: (chosen) => refusedFile(chosen, file) }
  })
  const submit = useSubmit(form, {
    send: async ({ issuer_id, service_account }) =>
      setGoogle(id, { issuer_id: issuer_id.trim(), service_account: await textOf(service_account) }),
    done: wallets.google.done,
    onDone: onClose
  })
  return (
    <FormParts submitLabel={file.keep} submit={submit} onClose={onClose}>
      <Text size="sm">{texts.text}</Text>
      <TextInput
        label={texts.issuer}
        description={texts.issuerHelp}
        inputMode="numeric"
        data-autofocus
        {...form.getInputProps('issuer_id')}
      />
      <FileField
        label={texts.key}
        description={texts.keyHelp}
        accept=".json,application/json"
        {...form.getInputProps('service_account')}
      />
    </FormParts>
  )
}
