import { Stack, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import type { Cart } from '../cart/cart.ts'
import { CartComparison, useCartPrices } from '../cart/cart-comparison.tsx'
import { useCartTexts } from '../cart/texts.ts'
import { changePlan, type Plan, readPlan } from '../queries.ts'
import { usePerksTexts } from './texts.ts'
import { type PerkName, perkField } from './values.ts'

export type PerkFormProps = { plan: Plan; cart: Cart; onClose: () => void }

type Props<Values extends Record<string, unknown>> = PerkFormProps & {
  perk: PerkName
  form: UseFormReturnType<Values>
  body: (values: Values) => object
  /** Whether prices follow from it. */
  isPriced?: boolean
  children: ReactNode
}

/** The form of one perk, with what a member would pay by it before it is saved. */
export function PerkParts<Values extends Record<string, unknown>>({
  plan,
  cart,
  perk,
  form,
  body,
  isPriced = true,
  onClose,
  children
}: Props<Values>) {
  const { id } = useKnownStore()
  const { common } = useTexts()
  const texts = usePerksTexts()
  const submit = useSubmit(form, {
    send: (values) => changePlan(id, plan.id, { perks: { [perk]: body(values) } }),
    done: texts.saved(texts.names[perk]),
    onDone: onClose,
    fields: perkField(perk),
    unlessChanged: { opened: plan.perks[perk], read: async () => (await readPlan(id, plan.id)).perks[perk] }
  })
  return (
    <FormParts submit={submit} submitLabel={common.save} onClose={onClose}>
      {children}
      {isPriced && plan.type !== 'product' && (
        <DraftPrices plan={plan} cart={cart} perks={{ [perk]: body(form.getValues()) }} />
      )}
    </FormParts>
  )
}

function DraftPrices({ plan, cart, perks }: { plan: Plan; cart: Cart; perks: Record<string, unknown> }) {
  const texts = useCartTexts()
  const shown = useCartPrices(cart, plan.id, perks)
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {texts.withDraft}
      </Title>
      <CartComparison label={texts.withDraft} cart={cart} shown={shown} />
    </Stack>
  )
}
