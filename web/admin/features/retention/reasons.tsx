import { Code, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { FormParts } from '../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { DialogButton } from '../../shared/ui/dialog-button.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { changeReason, type Reason, readReasons, reasonsQuery } from './queries.ts'
import { useRetentionTexts } from './texts.ts'

/** Why somebody may cancel. */
export function Reasons() {
  const { id } = useKnownStore()
  const reasons = useQuery(reasonsQuery(id))
  const texts = useRetentionTexts()
  const { common } = useTexts()
  const mayManage = useMay('manage')
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.reasonsAbout}
      </Text>
      <QueryView query={reasons} height={400}>
        {(all) => (
          <PlainTable
            label={texts.part.reasons}
            rows={all}
            keyOf={({ alias }) => alias}
            empty=""
            columns={[
              { title: texts.position, isNumber: true, cell: ({ position }) => position },
              {
                title: texts.reason,
                cell: ({ title, description }) => (
                  <Stack gap={0} miw={140}>
                    <Text size="sm" fw={500} className="wrap-anywhere">
                      {title}
                    </Text>
                    {description && (
                      <Text size="sm" c="dimmed" className="wrap-anywhere">
                        {description}
                      </Text>
                    )}
                  </Stack>
                )
              },
              { title: texts.alias, cell: ({ alias }) => <Code>{alias}</Code> },
              {
                title: texts.status,
                cell: ({ enabled }) => <StatusBadge status={enabled ? 'active' : 'off'} names={texts.statuses} />
              },
              ...(mayManage
                ? [
                    {
                      title: common.actions,
                      isAction: true,
                      cell: (reason: Reason) => (
                        <DialogButton
                          label={common.edit}
                          aria-label={texts.editReason(reason.title)}
                          title={reason.title}
                        >
                          {(close) => <ReasonForm reason={reason} onClose={close} />}
                        </DialogButton>
                      )
                    }
                  ]
                : [])
            ]}
          />
        )}
      </QueryView>
    </Stack>
  )
}

function ReasonForm({ reason, onClose }: { reason: Reason; onClose: () => void }) {
  const { id } = useKnownStore()
  const texts = useRetentionTexts()
  const { common } = useTexts()
  const form = useForm({
    initialValues: {
      title: reason.title,
      description: reason.description ?? '',
      position: String(reason.position),
      enabled: reason.enabled
    }
  })
  const submit = useSubmit(form, {
    send: ({ title, description, position, enabled }) =>
      changeReason(id, reason.alias, {
        title,
        description: description.trim() || null,
        // What is no number is refused at its field.
        position: (/^[0-9]+$/.test(position.trim()) ? Number(position) : position) as number,
        enabled
      }),
    done: texts.reasonSaved,
    onDone: onClose,
    unlessChanged: {
      opened: reason,
      read: async () => (await readReasons(id)).find(({ alias }) => alias === reason.alias)
    }
  })
  return (
    <FormParts submit={submit} submitLabel={common.save} onClose={onClose}>
      <TextInput
        label={texts.title}
        description={texts.titleHelp}
        required
        {...form.getInputProps('title')}
        data-autofocus
      />
      <Textarea
        label={texts.description}
        description={texts.descriptionHelp}
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps('description')}
      />
      <TextInput
        label={texts.position}
        description={texts.positionHelp}
        inputMode="numeric"
        {...form.getInputProps('position')}
      />
      <Switch label={texts.shown} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormParts>
  )
}
