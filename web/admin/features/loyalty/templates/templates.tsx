import { Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { May, useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../../shared/ui/named-cell.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type Template, templatesQuery } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { TemplateForm } from './template-form.tsx'
import { rulesOf } from './template-values.ts'
import { useTemplateTexts } from './texts.ts'

/** What points can buy. */
export function Templates() {
  const { id, currency } = useKnownStore()
  const templates = useQuery(templatesQuery(id))
  const texts = useTemplateTexts()
  const { name, status } = useLoyaltyTexts()
  const { common } = useTexts()
  const { money, count, percent } = useFormats()
  const mayManage = useMay('manage')
  const create = (
    <May permission="manage">
      <DialogButton label={texts.create} title={texts.create} size="lg" variant="filled">
        {(close) => <TemplateForm template={null} onClose={close} />}
      </DialogButton>
    </May>
  )
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.about}
      </Text>
      <QueryView query={templates} height={240}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText}>
              {create}
            </EmptyState>
          ) : (
            <>
              <Group justify="flex-end">{create}</Group>
              <PlainTable
                label={texts.list}
                rows={all}
                keyOf={(template) => String(template.id)}
                empty=""
                columns={[
                  {
                    title: name,
                    cell: (template) => (
                      <NamedCell name={template.name} about={texts.scopes[rulesOf(template).applies_to] ?? ''} />
                    )
                  },
                  { title: texts.takesOff, cell: takesOff },
                  { title: texts.price, isNumber: true, cell: ({ required_points }) => count(required_points) },
                  {
                    title: texts.prefix,
                    cell: ({ discount_code_prefix: prefix }) => (prefix ? <Code>{prefix}</Code> : '–')
                  },
                  {
                    title: status,
                    cell: (template) => <StatusBadge status={statusOf(template)} names={texts.statuses} />
                  },
                  ...(mayManage
                    ? [
                        {
                          title: common.actions,
                          isAction: true,
                          cell: (template: Template) => (
                            <DialogButton
                              label={common.edit}
                              aria-label={`${common.edit}: ${template.name.slice(0, 100)}`}
                              title={template.name}
                              size="lg"
                            >
                              {(close) => <TemplateForm template={template} onClose={close} />}
                            </DialogButton>
                          )
                        }
                      ]
                    : [])
                ]}
              />
            </>
          )
        }
      </QueryView>
    </Stack>
  )

  function takesOff(template: Template): string {
    const { amount, minimum_subtotal } = rulesOf(template)
    const off = template.type === 'percentage' ? percent(amount) : money(amount, currency)
    return [off, minimum_subtotal !== null && texts.from(money(minimum_subtotal, currency))].filter(Boolean).join(' ')
  }
}

const statusOf = ({ enabled, status }: Template) => (!enabled ? 'off' : status === 1 ? 'active' : 'waiting')
