import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const ARABIC: Texts<TextKey> = {
  credit: 'رصيد المتجر',
  points: 'النقاط',
  price: 'السعر',
  next: 'الدفعة القادمة',
  resumes: 'متوقفة مؤقتًا حتى',
  ended: 'أُلغيت في',
  until: 'يمكن التراجع حتى',
  offer: 'العرض',
  instead: '{new} بدلًا من {old}',
  active: 'نشطة',
  paused: 'متوقفة مؤقتًا',
  cancelled: 'ملغاة',
  failed: 'فشل الدفع',
  expired: 'منتهية',
  pause: 'إيقاف مؤقت',
  days: 'مدة الإيقاف المؤقت',
  skip: 'تخطي الدفعة القادمة',
  resume: 'استئناف',
  reactivate: 'التراجع عن الإلغاء',
  method: 'طريقة الدفع',
  loading: 'لحظة من فضلك…',
  away: 'المتجر لا يستجيب حاليًا. سنعيد المحاولة تلقائيًا ما دامت هذه الصفحة مفتوحة.',
  again: 'إعادة المحاولة الآن',
  unchanged: 'لم ينجح ذلك.',
  question: 'هل تريد تخطي الدفعة في {date}؟ لا يمكن التراجع عن ذلك.',
  back: 'رجوع',
  skipped: '{name}: تم تخطي الدفعة في {date}.',
  held: '{name}: موقوفة مؤقتًا حتى {date}.',
  resumed: '{name}: تم الاستئناف.',
  restored: '{name}: تم سحب الإلغاء.',
  unseen: 'لم نتمكن من معرفة ما إذا تم ذلك. أعد تحميل هذه الصفحة لاحقًا.',
  first_for: '{price} لمدة {duration}، ثم {later}',
  first: 'أولاً {price}، ثم {later}',
  join: 'الانضمام إلى {name}'
}

export default ARABIC
