import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { disableEndpoint, type Endpoint } from '../queries.ts'
import { useEndpointsTexts } from './texts.ts'

export function DisableEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { id } = useKnownStore()
  const texts = useEndpointsTexts()
  const form = useForm({ initialValues: { reason: '' } })
  const submit = useSubmit(form, {
    send: ({ reason }) => disableEndpoint(id, endpoint.id, reason),
    done: texts.disabled,
    onDone: onClose
  })
  return (
    <FormDialog
      title={texts.disableTitle}
      submitLabel={texts.disable}
      submit={submit}
      isHarmful
      isOpen
      onClose={onClose}
    >
      <Text size="sm">{texts.disableText}</Text>
      <TextInput
        label={texts.reason}
        description={texts.reasonHelp}
        autoComplete="off"
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  )
}
