import { Checkbox, NumberInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { BrowserRefusal } from '../../../shared/api/errors.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { PasswordField } from '../../../shared/ui/password-field.tsx'
import { type Integration, integrationsQuery, setIntegration } from './queries.ts'
import { useRewardsTexts } from './texts.ts'

const FIELDS = ['key', 'active', 'shown', 'pull.url', 'pull.every_minutes', 'pull.authorization'] as const

/** What can be edited; `updated_at` stands still with the clock of a sandbox store. */
const saidOf = ({ active, shown, pull }: Integration) =>
  JSON.stringify([active, shown, pull?.url, pull?.every_minutes, pull?.has_authorization])

/** Adds an integration, or changes one. */
export function IntegrationForm({ integration, onClose }: { integration: Integration | null; onClose: () => void }) {
  const { id } = useKnownStore()
  const queries = useQueryClient()
  const texts = useRewardsTexts()
  const pull = integration?.pull ?? null
  const form = useForm({
    initialValues: {
      key: integration?.key ?? '',
      active: integration?.active ?? true,
      shown: integration?.shown ?? true,
      pull: { url: pull?.url ?? '', every_minutes: pull?.every_minutes ?? 60, authorization: '' }
    }
  })
  const submit = useSubmit(form, {
    fields: FIELDS,
    send: async ({ pull: given, ...rest }) => {
      await refuseWhenChanged()
      return setIntegration(id, { ...rest, ...pullOf(given) })
    },
    done: texts.saved,
    onDone: onClose
  })

  /** Another person may have saved it since this form was opened. */
  async function refuseWhenChanged() {
    if (!integration) return
    const all = await queries.fetchQuery({ ...integrationsQuery(id), staleTime: 0 })
    const now = all.find(({ key }) => key === integration.key)
    if (now && saidOf(now) !== saidOf(integration)) throw new BrowserRefusal(texts.changedMeanwhile)
  }

  /** An empty authorization leaves the one that is kept. */
  function pullOf({ url, every_minutes, authorization }: typeof form.values.pull) {
    if (url.trim() === '') return pull ? { pull: { url: null } } : {}
    return { pull: { url: url.trim(), every_minutes, ...(authorization !== '' && { authorization }) } }
  }

  return (
    <FormDialog
      title={integration ? texts.editTitle(integration.key) : texts.add}
      submitLabel={texts.save}
      submit={submit}
      size="lg"
      isOpen
      onClose={onClose}
    >
      {!integration && (
        <TextInput
          label={texts.key}
          description={texts.keyHelp}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('key')}
        />
      )}
      <Checkbox label={texts.isActive} {...form.getInputProps('active', { type: 'checkbox' })} />
      <Checkbox label={texts.isShown} {...form.getInputProps('shown', { type: 'checkbox' })} />
      <TextInput
        label={texts.url}
        description={texts.urlHelp}
        placeholder="https://"
        type="url"
        {...form.getInputProps('pull.url')}
      />
      {form.values.pull.url !== '' && (
        <>
          <NumberInput
            label={texts.everyMinutes}
            description={texts.everyHelp}
            allowDecimal={false}
            {...form.getInputProps('pull.every_minutes')}
          />
          <PasswordField
            label={texts.authorization}
            description={pull?.has_authorization ? texts.authorizationKept : texts.authorizationHelp}
            autoComplete="off"
            required={false}
            {...form.getInputProps('pull.authorization')}
          />
        </>
      )}
    </FormDialog>
  )
}
