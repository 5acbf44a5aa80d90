import { Button, Collapse, Fieldset, Group, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type Cart, type CartLine, emptyLine } from './cart.ts'
import { useCartTexts } from './texts.ts'

type Props = {
  cart: Cart
  onChange: (cart: Cart) => void
  /** What was refused, by the path of the API. */
  errors: Record<string, string>
}

/** A small cart that is edited on the page. */
export function CartEditor({ cart, onChange, errors }: Props) {
  const texts = useCartTexts()
  const changeLine = (at: number, change: Partial<CartLine>) =>
    onChange({ ...cart, lines: cart.lines.map((line, i) => (i === at ? { ...line, ...change } : line)) })
  const removeLine = (at: number) => onChange({ ...cart, lines: cart.lines.filter((_, i) => i !== at) })
  return (
    <Stack gap="sm">
      {cart.lines.map((line, i) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          key={i}
          number={i + 1}
          line={line}
          onChange={(change) => changeLine(i, change)}
          onRemove={cart.lines.length > 1 ? () => removeLine(i) : null}
          errorOf={(field) => errorIn(errors, `cart.lines[${i}].${field}`)}
        />
      ))}
      <Group>
        <Button variant="default" size="xs" onClick={() => onChange({ ...cart, lines: [...cart.lines, emptyLine()] })}>
          {texts.addLine}
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
        <TextInput
          label={texts.shippingMethod}
          value={cart.shippingMethod}
          maxLength={255}
          onChange={({ currentTarget }) => onChange({ ...cart, shippingMethod: currentTarget.value })}
          error={errorIn(errors, 'cart.shipping.method')}
        />
        <TextInput
          label={texts.shippingPrice}
          value={cart.shippingPrice}
          inputMode="decimal"
          onChange={({ currentTarget }) => onChange({ ...cart, shippingPrice: currentTarget.value })}
          error={errorIn(errors, 'cart.shipping.price')}
        />
        <TextInput
          label={texts.country}
          placeholder={texts.countryHelp}
          value={cart.country}
          maxLength={2}
          onChange={({ currentTarget }) => onChange({ ...cart, country: currentTarget.value })}
          error={errorIn(errors, 'cart.country')}
        />
      </SimpleGrid>
      {errors['cart.lines'] && <Text c="var(--mantine-color-error)">{errors['cart.lines']}</Text>}
    </Stack>
  )
}

/** Also of what is inside of a field. */
const errorIn = (errors: Record<string, string>, path: string) =>
  errors[path] ?? Object.entries(errors).find(([field]) => field.startsWith(`${path}[`))?.[1]

type LineProps = {
  number: number
  line: CartLine
  onChange: (change: Partial<CartLine>) => void
  onRemove: (() => void) | null
  errorOf: (field: string) => string | undefined
}

function Line({ number, line, onChange, onRemove, errorOf }: LineProps) {
  const texts = useCartTexts()
  const [isOpen, { toggle }] = useDisclosure(line.compareAt !== '')
  const input = (name: 'product' | 'quantity' | 'price' | 'compareAt', label: string, field: string) => (
    <TextInput
      label={label}
      value={line[name]}
      inputMode={name === 'product' || name === 'quantity' ? 'numeric' : 'decimal'}
      onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      error={errorOf(field)}
    />
  )
  return (
    <Fieldset legend={texts.line(number)} p="xs">
      <Stack gap="xs">
        <SimpleGrid cols={3} spacing="xs">
          {input('product', texts.product, 'product_id')}
          {input('quantity', texts.quantity, 'quantity')}
          {input('price', texts.price, 'price')}
        </SimpleGrid>
        <Group gap="xs">
          <Button variant="subtle" size="compact-xs" onClick={toggle} aria-expanded={isOpen}>
            {texts.more}
          </Button>
          {onRemove && (
            <Button variant="subtle" size="compact-xs" onClick={onRemove} aria-label={texts.removeLine(number)}>
              {texts.removeLine(number)}
            </Button>
          )}
        </Group>
        <Collapse expanded={isOpen}>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
            {input('compareAt', texts.compareAt, 'compare_at_price')}
            <TagsInput
              label={texts.collections}
              value={line.collections}
              onChange={(collections) => onChange({ collections })}
              error={errorOf('collection_ids')}
            />
            <TagsInput
              label={texts.tags}
              description={texts.tagsHelp}
              value={line.tags}
              onChange={(tags) => onChange({ tags })}
              error={errorOf('tags')}
            />
          </SimpleGrid>
        </Collapse>
      </Stack>
    </Fieldset>
  )
}
