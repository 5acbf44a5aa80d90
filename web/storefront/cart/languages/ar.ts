import type { Words } from '../words.ts'

const ARABIC: Words = {
  choose: 'كيف تريد الشراء؟',
  pay_as_you_go: 'بدون عضوية',
  products: 'المنتجات',
  instead_of: 'بدلاً من',
  saved: 'توفّر {amount}',
  trial: 'أولاً {amount}، ثم',
  trial_for: '{amount} لمدة {duration}، ثم',
  missing: 'تبقّى {amount}: {perk}',
  reached: 'تم الوصول: {perk}',
  free_shipping: 'شحن مجاني',
  off: 'خصم {amount}',
  agree: 'أوافق على دفع {amount} حتى أُلغي.',
  agree_first: 'وافق على شروط العضوية أولاً.',
  join: 'انضم وأكمل الشراء',
  added: 'في سلتك: {plan}',
  removed: 'لم يعد في سلتك: {plan}',
  failed: 'تعذّر تغيير السلة. أكمل الشراء كما هي أو حاول مرة أخرى.',
  credit: 'رصيد المتجر: {amount}',
  buy: 'طريقة الشراء: {product}',
  once: 'مرة واحدة',
  member_price: 'سعر {plan}'
}

export default ARABIC
