import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const ARABIC: Texts<TextKey> = {
  button: 'إلغاء العضوية',
  choose: 'أي عضوية؟',
  reasons: 'لماذا تريد المغادرة؟',
  comment: 'هل تود إضافة شيء؟ (اختياري)',
  next: 'متابعة',
  offers: 'قبل أن تغادر',
  accept: 'البقاء مع هذا العرض',
  confirm: 'هل تريد إلغاء عضويتك؟',
  ending: 'تنتهي فورًا ولن يُخصم منك أي مبلغ آخر.',
  cancel: 'الإلغاء على أي حال',
  keep: 'الاحتفاظ بالعضوية',
  back: 'رجوع',
  close: 'إغلاق',
  loading: 'لحظة من فضلك…',
  waiting: 'لم يتم الإلغاء بعد',
  retrying: 'المتجر لا يستجيب حاليًا. اختيارك محفوظ وسنعيد المحاولة تلقائيًا ما دامت هذه الصفحة مفتوحة.',
  again: 'إعادة المحاولة الآن',
  refused: 'لم تُلغَ عضويتك',
  failed: 'لم يُطبَّق العرض ولم يتغير شيء.',
  unknown: 'لم نتمكن من معرفة ما إذا تم تنفيذ ذلك. أعد تحميل هذه الصفحة لاحقًا.',
  done: 'تم إلغاء عضويتك',
  kept: 'شكرًا لبقائك معنا',
  applied: 'تم تطبيق العرض: {offer}',
  instead: '{new} بدلًا من {old}',
  for: 'لمدة {duration}',
  payment: 'الدفعة القادمة: {date}',
  credit: 'رصيد متجر بقيمة {amount}',
  none: 'ليست لديك عضوية لإلغائها.'
}

export default ARABIC
