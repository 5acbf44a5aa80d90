import { Group, PasswordInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { storesQuery, useKnownStore } from '../../../shared/api/stores.ts'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { May } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { connectionQuery, connectStore, deleteStore, disconnectStore } from './queries.ts'
import { usePlatformTexts } from './texts.ts'

/** Connects the store with other credentials, ends the connection, or deletes the store. */
export function ConnectForms() {
  const { id, sandbox, name } = useKnownStore()
  const texts = usePlatformTexts()
  const { data: connection } = useQuery(connectionQuery(id))
  if (!connection) return null
  const isConnected = connection.status === 'active'
  return (
    <May permission="install">
      <Section title={texts.changes}>
        <Text size="sm" c="dimmed" maw={720}>
          {texts.changesText}
        </Text>
        <Group gap="xs">
          {sandbox ? (
            !isConnected && <ConfirmButton {...texts.connectSandbox} change={() => connectStore(id, {})} />
          ) : (
            <ActionForm
              texts={texts.connect}
              forgetOnClose
              values={{ access_token: '', app_secret: '', proxy_secret: '', platform_url: '' }}
              send={(given) => connectStore(id, given)}
            >
              {(field) => (
                <>
                  <PasswordInput label={texts.accessToken} autoComplete="off" required {...field('access_token')} />
                  <PasswordInput label={texts.appSecret} autoComplete="off" {...field('app_secret')} />
                  <PasswordInput label={texts.proxySecret} autoComplete="off" {...field('proxy_secret')} />
                  <TextInput label={texts.platformUrl} type="url" {...field('platform_url')} />
                </>
              )}
            </ActionForm>
          )}
          {isConnected && (
            <ConfirmButton
              {...texts.disconnect}
              c="var(--mantine-color-error)"
              isHarmful
              change={() => disconnectStore(id)}
            />
          )}
          <DialogButton
            label={texts.deleteStore.label}
            title={texts.deleteStore.title(name)}
            c="var(--mantine-color-error)"
          >
            {(close) => <DeleteStore onClose={close} />}
          </DialogButton>
        </Group>
      </Section>
    </May>
  )
}

/** Asks for the name of the store: nothing brings it back. */
function DeleteStore({ onClose }: { onClose: () => void }) {
  const { id, name: own } = useKnownStore()
  const { deleteStore: texts } = usePlatformTexts()
  const navigate = useNavigate()
  const other = useQuery(storesQuery).data?.find((one) => one.id !== id)
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '' } })
  const submit = useSubmit(form, {
    send: ({ name }) => deleteStore(id, name),
    done: ({ deleted }) => (deleted ? texts.done : texts.underWay),
    onDone: () => navigate(other ? `/stores/${other.id}` : '/')
  })
  return (
    <FormParts submit={submit} submitLabel={texts.label} isHarmful onClose={onClose}>
      <Text size="sm">{texts.text}</Text>
      <TextInput
        label={texts.name(own)}
        autoComplete="off"
        required
        key={form.key('name')}
        {...form.getInputProps('name')}
        data-autofocus
      />
    </FormParts>
  )
}
