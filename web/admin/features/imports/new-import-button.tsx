import { Button, NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { FileField } from '../../shared/forms/file-field.tsx'
import { FormDialog } from '../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { formatOf } from './put-file.ts'
import { importFile, startImport } from './queries.ts'
import { useImportsTexts } from './texts.ts'

type Values = {
  from: 'file' | 'platform'
  file: File | null
  mode: 'paused' | 'live'
  paused_until: string
  allow_duplicates: boolean
}

/** Begins an import. Nothing is charged by it. */
export function NewImportButton() {
  const { id: store } = useKnownStore()
  const { start: texts } = useImportsTexts()
  const [isOpen, { open, close }] = useDisclosure()
  const navigate = useNavigate()
  const form = useForm<Values>({
    initialValues: { from: 'file', file: null, mode: 'paused', paused_until: '', allow_duplicates: false },
    validate: { file: (file, { from }) => (from === 'file' && file === null ? texts.fileNeeded : null) }
  })
  const submit = useSubmit(form, {
    send: ({ from, file, mode, paused_until, allow_duplicates }) => {
      const begins = { mode, ...(mode === 'paused' && paused_until !== '' && { paused_until }) }
      if (from === 'platform' || file === null) return startImport(store, { source: 'platform', ...begins })
      return importFile(store, { source: formatOf(file.name), ...begins, allow_duplicates }, file)
    },
    onDone: ({ id }) => {
      close()
      form.reset()
      void navigate(`/stores/${store}/imports/${id}`)
    }
  })
  const { from, mode } = form.values
  return (
    <>
      <Button onClick={open}>{texts.label}</Button>
      <FormDialog
        title={texts.title}
        submitLabel={texts.confirm}
        submit={submit}
        size="lg"
        isOpen={isOpen}
        onClose={close}
      >
        <Text size="sm">{texts.text}</Text>
        <NativeSelect
          label={texts.from}
          data={[
            { value: 'file', label: texts.fromFile },
            { value: 'platform', label: texts.fromPlatform }
          ]}
          {...form.getInputProps('from')}
        />
        {from === 'file' && (
          <FileField
            label={texts.file}
            description={texts.fileHelp}
            accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
            {...form.getInputProps('file')}
          />
        )}
        <NativeSelect
          label={texts.mode}
          description={texts.modeHelp}
          data={[
            { value: 'paused', label: texts.paused },
            { value: 'live', label: texts.live }
          ]}
          {...form.getInputProps('mode')}
        />
        {mode === 'paused' && (
          <TextInput
            type="date"
            label={texts.until}
            description={texts.untilHelp}
            {...form.getInputProps('paused_until')}
          />
        )}
        {from === 'file' && (
          <Switch
            label={texts.duplicates}
            description={texts.duplicatesHelp}
            {...form.getInputProps('allow_duplicates', { type: 'checkbox' })}
          />
        )}
        {submit.isPending && from === 'file' && (
          <Text size="sm" aria-live="polite">
            {texts.sending}
          </Text>
        )}
      </FormDialog>
    </>
  )
}
