export {
  anyObject,
  commaList,
  listOf,
  type ObjectField,
  type ObjectShape,
  type ObjectValue,
  objectOf,
  orEmpty,
  orNull,
  variants,
  withRule
} from './composite.ts'
export { type DescribedKey, describeKeys } from './describe-keys.ts'
export { type JsonField, meaning, scalar, type ValueOf, withDefault } from './field.ts'
export { flag, oneOrEmpty, onOrAbsent, onOrOff, trueOrFalse, unused } from './flags.ts'
export { canonicalJson, parseJson } from './json-text.ts'
export { type Money, moneyOf } from './money-fields.ts'
export {
  amountNumber,
  decimalNumber,
  decimalText,
  globalId,
  idInteger,
  idText,
  integer,
  positiveDecimal
} from './numbers.ts'
export { readEntered, readStored } from './read-fields.ts'
export { dateText, textLike, textOf, upperWord, utcInstant, word } from './texts.ts'
