import { Alert, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { FileField } from '../../../shared/forms/file-field.tsx'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { PasswordField } from '../../../shared/ui/password-field.tsx'
import { OneWallet } from './one-wallet.tsx'
import { setApple, type Wallet } from './queries.ts'
import { refusedFile, textOf } from './secret-file.ts'
import { useWalletTexts } from './texts.ts'

const WARN_DAYS = 30
const DAY_MS = 86_400_000

/** What signs passes for Apple Wallet. */
export function Apple({ apple }: { apple: Wallet['apple'] }) {
  const { timezone } = useKnownStore()
  const { apple: texts } = useWalletTexts()
  const daysLeft = apple && (Date.parse(apple.expires_at) - Date.now()) / DAY_MS
  return (
    <OneWallet
      kind="apple"
      facts={
        apple && [
          [texts.passType, <code key="type">{apple.pass_type_id}</code>],
          [texts.team, <code key="team">{apple.team_id}</code>],
          [texts.expires, <Instant key="expires" at={apple.expires_at} zone={timezone} dayOnly />],
          [texts.updated, <Instant key="updated" at={apple.updated_at} zone={timezone} />]
        ]
      }
      note={
        daysLeft !== null &&
        daysLeft < WARN_DAYS && (
          <Alert color="yellow" variant="outline">
            <Text size="sm">{daysLeft > 0 ? texts.endsSoon : texts.hasEnded}</Text>
          </Alert>
        )
      }
      form={(close) => <Form passType={apple?.pass_type_id ?? null} onClose={close} />}
    />
  )
}

function Form({ passType, onClose }: { passType: string | null; onClose: () => void }) {
  const { id } = useKnownStore()
  const { apple: texts, file, wallets } = useWalletTexts()
  const needed = (chosen: File | null) => refusedFile(chosen, file)
  const form = useForm({
    initialValues: {
      certificate: null as File | null,
      key: null as File | null,
      passphrase: '',
      wwdr: null as File | null,
      pass_type_id: '',
      team_id: ''
    },
    validate: { certificate: needed, key: needed, wwdr: needed }
  })
  const submit = useSubmit(form, {
    send: async ({ certificate, key, wwdr, passphrase, pass_type_id, team_id }) =>
      setApple(id, {
        certificate: await textOf(certificate),
        key: await textOf(key),
        wwdr: await textOf(wwdr),
        ...(passphrase && { passphrase }),
        ...(pass_type_id.trim() && { pass_type_id: pass_type_id.trim() }),
        ...(team_id.trim() && { team_id: team_id.trim() })
      }),
    done: wallets.apple.done,
    onDone: onClose
  })
  return (
    <FormParts submitLabel={file.keep} submit={submit} onClose={onClose}>
      <Text size="sm">{texts.text}</Text>
      {passType !== null && <Text size="sm">{texts.samePassType(passType)}</Text>}
      {(['certificate', 'key', 'wwdr'] as const).map((name) => (
        <FileField
          key={name}
          label={texts.files[name].label}
          description={texts.files[name].help}
          {...form.getInputProps(name)}
        />
      ))}
      <PasswordField
        label={texts.passphrase}
        description={texts.passphraseHelp}
        autoComplete="off"
        {...form.getInputProps('passphrase')}
        required={false}
      />
      <TextInput label={texts.passType} description={texts.ofCertificate} {...form.getInputProps('pass_type_id')} />
      <TextInput label={texts.team} description={texts.ofCertificate} {...form.getInputProps('team_id')} />
    </FormParts>
  )
}
