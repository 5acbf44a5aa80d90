import { Select, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { FormParts } from '../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { DialogButton } from '../../shared/ui/dialog-button.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { type Plan, readSettings, settingsQuery } from './queries.ts'
import { usePlansTexts } from './texts.ts'

const TYPES = ['vip', 'elite'] as const

/** Which plan decides the perks of each type of membership, and who gives them at the checkout. */
export function MainPlans({ plans }: { plans: Plan[] }) {
  const { id } = useKnownStore()
  const settings = useQuery(settingsQuery(id))
  const texts = usePlansTexts()
  const mayManage = useMay('manage')
  const nameOf = (plan: string | null) => plans.find((one) => one.id === plan)?.name ?? plan
  return (
    <Section
      title={texts.mainPlans}
      aside={
        mayManage &&
        settings.data && (
          <DialogButton label={texts.mainPlansEdit} title={texts.mainPlans}>
            {(close) => <MainPlansForm plans={plans} chosen={settings.data.main_plan} onClose={close} />}
          </DialogButton>
        )
      }
    >
      <Text size="sm" c="dimmed">
        {texts.mainPlansText}
      </Text>
      <QueryView query={settings} height={80}>
        {({ main_plan_in_effect: inEffect, discounts }) => (
          <Stack gap="sm">
            <FactList
              facts={TYPES.map((type) => [
                texts.mainPlan[type],
                <Stack key={type} gap={0}>
                  <span>{nameOf(inEffect[type].plan_id) ?? texts.noneInEffect}</span>
                  {inEffect[type].note && (
                    <Text size="xs" c="dimmed">
                      {inEffect[type].note}
                    </Text>
                  )}
                </Stack>
              ])}
            />
            <Text size="sm">{texts.enforcement[discounts.enforced_by]}</Text>
          </Stack>
        )}
      </QueryView>
    </Section>
  )
}

type Chosen = { vip: string | null; elite: string | null }

function MainPlansForm({ plans, chosen, onClose }: { plans: Plan[]; chosen: Chosen; onClose: () => void }) {
  const { id } = useKnownStore()
  const texts = usePlansTexts()
  const { common } = useTexts()
  const form = useForm({ initialValues: { vip: chosen.vip ?? '', elite: chosen.elite ?? '' } })
  const submit = useSubmit(form, {
    send: ({ vip, elite }) =>
      bodyOf(
        api.PATCH('/stores/{store}/settings', {
          params: { path: { store: id } },
          body: { main_plan: { vip: vip || null, elite: elite || null } }
        })
      ),
    done: common.saved,
    onDone: onClose,
    fields: (field) => (field.startsWith('main_plan.') ? field.slice('main_plan.'.length) : null),
    unlessChanged: { opened: chosen, read: async () => (await readSettings(id)).main_plan }
  })
  const optionsOf = (type: string) => [
    { value: '', label: texts.byAge },
    ...plans.filter((plan) => plan.type === type).map((plan) => ({ value: plan.id, label: plan.name }))
  ]
  return (
    <FormParts submit={submit} submitLabel={common.save} onClose={onClose}>
      {TYPES.map((type) => (
        <Select
          key={type}
          label={texts.mainPlan[type]}
          data={optionsOf(type)}
          allowDeselect={false}
          {...form.getInputProps(type)}
        />
      ))}
    </FormParts>
  )
}
