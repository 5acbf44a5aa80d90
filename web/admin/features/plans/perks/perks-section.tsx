import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import type { ComponentType } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { May } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import type { Cart } from '../cart/cart.ts'
import { useMainPlanOf } from '../main-plan-of.ts'
import { changePlan, type Plan } from '../queries.ts'
import { useDescribedPerks } from './describe-perks.ts'
import { DiscountForm } from './discount-form.tsx'
import { FreeShippingForm } from './free-shipping-form.tsx'
import type { PerkFormProps } from './perk-parts.tsx'
import { StoreCreditForm } from './store-credit-form.tsx'
import { usePerksTexts } from './texts.ts'
import { PERK_NAMES, type PerkName } from './values.ts'
import { WelcomeOfferForm } from './welcome-offer-form.tsx'

const FORMS: Record<PerkName, ComponentType<PerkFormProps>> = {
  discount: DiscountForm,
  welcome_offer: WelcomeOfferForm,
  free_shipping: FreeShippingForm,
  store_credit: StoreCreditForm
}

/** What members get, each in a sentence. A plan of products has store credit only. */
export function PerksSection({ plan, cart }: { plan: Plan; cart: Cart }) {
  const texts = usePerksTexts()
  const sentences = useDescribedPerks()(plan)
  const main = useMainPlanOf()(plan)
  const names = plan.type === 'product' ? (['store_credit'] as const) : PERK_NAMES
  return (
    <Section title={texts.perks}>
      <Text size="sm" c="dimmed">
        {texts.about}
      </Text>
      {main && (
        <Alert color="blue" variant="outline" title={texts.perksOfMain(main.name)}>
          {texts.perksOfMainText}
        </Alert>
      )}
      <Stack gap="md">
        {names.map((name) => (
          <Perk key={name} name={name} sentence={sentences[name]} plan={plan} cart={cart} />
        ))}
      </Stack>
    </Section>
  )
}

type PerkProps = { name: PerkName; sentence: string | null; plan: Plan; cart: Cart }

function Perk({ name, sentence, plan, cart }: PerkProps) {
  const texts = usePerksTexts()
  return (
    <Group justify="space-between" align="flex-start" gap="xs" component="section" aria-label={texts.names[name]}>
      <Stack gap={2} flex={1} miw={220}>
        <Title order={3} size="h6">
          {texts.names[name]}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.what[name]}
        </Text>
        <Text size="sm" fw={sentence ? 500 : undefined} className="wrap-anywhere">
          {sentence ?? (name === 'store_credit' ? texts.noCredit : texts.off)}
        </Text>
      </Stack>
      <May permission="manage">
        <PerkActions name={name} isOn={sentence !== null} plan={plan} cart={cart} />
      </May>
    </Group>
  )
}

function PerkActions({ name, isOn, plan, cart }: { name: PerkName; isOn: boolean; plan: Plan; cart: Cart }) {
  const { id } = useKnownStore()
  const { common } = useTexts()
  const texts = usePerksTexts()
  const Form = FORMS[name]
  // How much store credit there is belongs to a version.
  if (name === 'store_credit' && !isOn) return null
  return (
    <Group gap="xs">
      <DialogButton
        label={isOn ? common.edit : texts.set}
        aria-label={`${isOn ? common.edit : texts.set}: ${texts.names[name]}`}
        title={texts.names[name]}
        size="lg"
      >
        {(close) => <Form plan={plan} cart={cart} onClose={close} />}
      </DialogButton>
      {isOn && name !== 'store_credit' && (
        <ConfirmButton
          label={texts.remove}
          aria-label={`${texts.remove}: ${texts.names[name]}`}
          title={texts.removeTitle(texts.names[name])}
          text={texts.removeText}
          isHarmful
          change={() => changePlan(id, plan.id, { perks: { [name]: null } })}
          done={texts.removed(texts.names[name])}
        />
      )}
    </Group>
  )
}
