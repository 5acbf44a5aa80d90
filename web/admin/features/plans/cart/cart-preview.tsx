import { SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Section } from '../../../shared/ui/section.tsx'
import type { Cart } from './cart.ts'
import { CartComparison, useCartPrices } from './cart-comparison.tsx'
import { CartEditor } from './cart-editor.tsx'
import { useCartTexts } from './texts.ts'

type Props = { plan: string; cart: Cart; onChange: (cart: Cart) => void }

/** A cart and its prices, which follow while it is edited. */
export function CartPreview({ plan, cart, onChange }: Props) {
  const texts = useCartTexts()
  const shown = useCartPrices(cart, plan)
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed">
        {texts.about}
      </Text>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <CartEditor cart={cart} onChange={onChange} errors={shown.errors} />
        <Stack gap="xs">
          <Title order={3} size="h5">
            {texts.prices}
          </Title>
          <CartComparison label={texts.prices} cart={cart} shown={shown} />
        </Stack>
      </SimpleGrid>
    </Section>
  )
}
