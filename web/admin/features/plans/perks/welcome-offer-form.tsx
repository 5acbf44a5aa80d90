import { useForm } from '@mantine/form'
import { type PerkFormProps, PerkParts } from './perk-parts.tsx'
import { ReductionFields } from './reduction-fields.tsx'
import { type WelcomeOfferValues, welcomeOfferBody, welcomeOfferValues } from './values.ts'

/** What is off one product of the order with which somebody becomes a member. The cart of the page has no membership, so it has no price of it. */
export function WelcomeOfferForm(props: PerkFormProps) {
  const form = useForm<WelcomeOfferValues>({ initialValues: welcomeOfferValues(props.plan.perks.welcome_offer) })
  return (
    <PerkParts {...props} perk="welcome_offer" form={form} body={welcomeOfferBody} isPriced={false}>
      <ReductionFields form={form} />
    </PerkParts>
  )
}
