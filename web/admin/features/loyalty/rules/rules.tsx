import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { May, useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../../shared/ui/named-cell.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { archiveRule, changeRule, type Rule, rulesQuery, ruleTypesQuery } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { NewRule, RuleForm } from './rule-form.tsx'
import { useRuleTexts } from './texts.ts'

/** For what customers earn. */
export function Rules() {
  const { id } = useKnownStore()
  const rules = useQuery(rulesQuery(id))
  const texts = useRuleTexts()
  const { name, status } = useLoyaltyTexts()
  const { common } = useTexts()
  const { fullDate } = useFormats()
  const mayManage = useMay('manage')
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.about}
      </Text>
      {/* In one place, so that its dialog stays when the first rule comes into the list. */}
      <Group justify="flex-end">
        <Create />
      </Group>
      <QueryView query={rules} height={240}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText} />
          ) : (
            <PlainTable
              label={texts.rule}
              rows={all}
              keyOf={(rule) => String(rule.id)}
              empty=""
              columns={[
                {
                  title: name,
                  cell: (rule) => <NamedCell name={rule.name} about={texts.types[rule.type] ?? rule.type} />
                },
                { title: texts.says, cell: ({ reward_text }) => reward_text },
                { title: texts.dates, cell: (rule) => <span className="no-wrap">{datesOf(rule)}</span> },
                {
                  title: status,
                  cell: (rule) => <StatusBadge status={statusOf(rule)} names={texts.statuses} />
                },
                ...(mayManage
                  ? [{ title: common.actions, isAction: true, cell: (rule: Rule) => <RuleActions rule={rule} /> }]
                  : [])
              ]}
            />
          )
        }
      </QueryView>
    </Stack>
  )

  function datesOf({ start_date, end_date }: Rule): string {
    return end_date === null
      ? texts.from(fullDate(start_date))
      : texts.between(fullDate(start_date), fullDate(end_date))
  }
}

const statusOf = ({ enabled, status }: Rule) => (!enabled ? 'off' : status === 1 ? 'active' : 'waiting')

function Create() {
  const { data: types } = useQuery(ruleTypesQuery)
  const texts = useRuleTexts()
  return (
    <May permission="manage">
      <DialogButton label={texts.create} title={texts.create} size="lg" variant="filled" disabled={!types}>
        {(close) => types && <NewRule types={types} onClose={close} />}
      </DialogButton>
    </May>
  )
}

function RuleActions({ rule }: { rule: Rule }) {
  const { id } = useKnownStore()
  const { data: types } = useQuery(ruleTypesQuery)
  const texts = useRuleTexts()
  const { common } = useTexts()
  const { name, enabled } = rule
  const type = types?.find((one) => one.type === rule.type)
  const labelled = (label: string) => `${label}: ${name.slice(0, 100)}`
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {type && (
        <DialogButton label={common.edit} aria-label={labelled(common.edit)} title={name} size="lg">
          {(close) => <RuleForm type={type} rule={rule} onClose={close} />}
        </DialogButton>
      )}
      <ConfirmButton
        label={enabled ? texts.turnOff : texts.turnOn}
        aria-label={labelled(enabled ? texts.turnOff : texts.turnOn)}
        title={enabled ? texts.turnOffTitle(name) : texts.turnOnTitle(name)}
        text={enabled ? texts.turnOffText : texts.turnOnText}
        isHarmful={enabled}
        change={() => changeRule(id, rule.id, { enabled: !enabled })}
        done={enabled ? texts.turnedOff(name) : texts.turnedOn(name)}
      />
      <ConfirmButton
        label={texts.archive}
        aria-label={labelled(texts.archive)}
        title={texts.archiveTitle(name)}
        text={texts.archiveText}
        isHarmful
        change={() => archiveRule(id, rule.id)}
        done={texts.archived(name)}
      />
    </Group>
  )
}
