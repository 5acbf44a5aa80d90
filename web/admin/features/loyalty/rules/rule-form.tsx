import { Fieldset, MultiSelect, Select, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { DescribedFields } from '../../../shared/forms/described-fields.tsx'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { changeRule, createRule, type Rule, type RuleType, readRule, tiersQuery } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { keysOf, type RuleValues, rewardKeys, ruleBody, ruleField, valuesOf } from './rule-values.ts'
import { useRuleTexts } from './texts.ts'

type Form = UseFormReturnType<RuleValues>

/** A new rule: what it rewards is chosen first, and decides the other fields. */
export function NewRule({ types, onClose }: { types: RuleType[]; onClose: () => void }) {
  const texts = useRuleTexts()
  const [name, setName] = useState('points_for_purchases')
  const type = types.find((one) => one.type === name) ?? types[0]!
  return (
    <Stack>
      <Select
        label={texts.type}
        description={texts.typeHelp}
        value={type.type}
        allowDeselect={false}
        onChange={(chosen) => chosen && setName(chosen)}
        data={types.map((one) => ({ value: one.type, label: texts.types[one.type] ?? one.type }))}
        data-autofocus
      />
      <Text size="sm">{texts.help[type.type] ?? type.help}</Text>
      <Text size="sm" c="dimmed">
        {texts.example(type.sentence)}
      </Text>
      {/* Another type has other fields. */}
      <RuleForm key={type.type} type={type} rule={null} onClose={onClose} />
    </Stack>
  )
}

type Props = { type: RuleType; rule: Rule | null; onClose: () => void }

/** A rule, whose fields are those that the service describes for its type. */
export function RuleForm({ type, rule, onClose }: Props) {
  const { id, timezone } = useKnownStore()
  const texts = useRuleTexts()
  const loyalty = useLoyaltyTexts()
  const { common } = useTexts()
  const form = useForm<RuleValues>({ initialValues: valuesOf(type, rule, '') })
  const submit = useSubmit(form, {
    send: (values) =>
      rule
        ? changeRule(id, rule.id, ruleBody(type, values))
        : createRule(id, { type: type.type as Rule['type'] & 'goal_spend', ...ruleBody(type, values) }),
    done: ({ name }) => (rule ? texts.saved : texts.created(name)),
    onDone: onClose,
    fields: (path) => ruleField(type, path),
    ...(rule && {
      unlessChanged: { opened: rule, read: () => readRule(id, rule.id) }
    })
  })
  const { own, common: shared, friend } = keysOf(type)
  return (
    <FormParts submit={submit} submitLabel={rule ? common.save : texts.create} onClose={onClose}>
      <TextInput label={loyalty.name} description={loyalty.nameHelp} required {...form.getInputProps('name')} />
      <Textarea
        label={loyalty.description}
        description={loyalty.descriptionHelp}
        autosize
        minRows={1}
        maxRows={6}
        {...form.getInputProps('description')}
      />
      {own.length > 0 && (
        <Fieldset legend={texts.when} p="sm">
          <Stack gap="sm">
            <DescribedFields form={form} prefix="rules" keys={own} texts={texts} />
          </Stack>
        </Fieldset>
      )}
      <Reward form={form} type={type} />
      {friend && <FriendReward form={form} variants={friend} />}
      <Fieldset legend={texts.forWhom} p="sm">
        <Stack gap="sm">
          <DescribedFields
            form={form}
            prefix="rules"
            keys={shared}
            texts={texts}
            own={{ tier_ids: (path) => <TierField key={path} form={form} path={path} /> }}
          />
        </Stack>
      </Fieldset>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput type="date" label={texts.startDate} description={timezone} {...form.getInputProps('start_date')} />
        <TextInput
          type="date"
          label={texts.endDate}
          description={texts.endDateHelp}
          {...form.getInputProps('end_date')}
        />
      </SimpleGrid>
      <Switch label={texts.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormParts>
  )
}

function Reward({ form, type }: { form: Form; type: RuleType }) {
  const texts = useRuleTexts()
  const { reward_type: chosen } = form.getValues()
  return (
    <Fieldset legend={texts.gives} p="sm">
      <Stack gap="sm">
        <Select
          label={texts.reward}
          allowDeselect={false}
          data={type.rewards.map(({ reward_type: value }) => ({ value, label: texts.rewards[value] ?? value }))}
          {...form.getInputProps('reward_type')}
        />
        <DescribedFields form={form} prefix="reward_rules" keys={rewardKeys(type, chosen)} texts={texts} />
      </Stack>
    </Fieldset>
  )
}

type FriendProps = { form: Form; variants: NonNullable<ReturnType<typeof keysOf>['friend']> }

/** What the other person gets, where a rule rewards two. */
function FriendReward({ form, variants }: FriendProps) {
  const texts = useRuleTexts()
  const keys = variants[form.getValues().friend_type] ?? []
  const options = Object.keys(variants).map((value) => ({ value, label: texts.rewards[value] ?? value }))
  return (
    <Fieldset legend={texts.friend} p="sm">
      <Stack gap="sm">
        <Select
          label={texts.reward}
          allowDeselect={false}
          data={[{ value: '', label: texts.nothing }, ...options]}
          {...form.getInputProps('friend_type')}
        />
        <DescribedFields form={form} prefix="friend" keys={keys} texts={texts} />
      </Stack>
    </Fieldset>
  )
}

/** Tiers by their names. */
function TierField({ form, path }: { form: Form; path: string }) {
  const { id } = useKnownStore()
  const { data: tiers = [] } = useQuery(tiersQuery(id))
  const texts = useRuleTexts()
  return (
    <MultiSelect
      label={texts.keys.tier_ids?.label}
      description={texts.tiersHelp}
      searchable
      data={tiers.map((tier) => ({ value: String(tier.id), label: tier.name }))}
      {...form.getInputProps(path)}
    />
  )
}
