import type { Texts } from '../../shared/texts.ts'
import type { TextKey } from '../texts.ts'

const FRENCH: Texts<TextKey> = {
  credit: 'Crédit boutique',
  points: 'Points',
  price: 'Prix',
  next: 'Prochain paiement',
  resumes: 'En pause jusqu’au',
  ended: 'Résilié le',
  until: 'Annulation révocable jusqu’au',
  offer: 'Offre',
  instead: '{new} au lieu de {old}',
  active: 'Actif',
  paused: 'En pause',
  cancelled: 'Résilié',
  failed: 'Paiement échoué',
  expired: 'Terminé',
  pause: 'Mettre en pause',
  days: 'Durée de la pause',
  skip: 'Sauter le prochain paiement',
  resume: 'Reprendre',
  reactivate: 'Annuler la résiliation',
  method: 'Moyen de paiement',
  loading: 'Un instant…',
  away: 'La boutique ne répond pas pour le moment. Nous réessayons automatiquement tant que cette page reste ouverte.',
  again: 'Réessayer maintenant',
  unchanged: 'Cela n’a pas fonctionné.',
  question: 'Sauter le paiement du {date} ? Ce choix est définitif.',
  back: 'Retour',
  skipped: '{name} : le paiement du {date} est sauté.',
  held: '{name} est en pause jusqu’au {date}.',
  resumed: '{name} reprend.',
  restored: '{name} : la résiliation est annulée.',
  unseen: 'Nous n’avons pas pu voir si cela a fonctionné. Rechargez cette page plus tard.',
  first_for: '{price} pendant {duration}, puis {later}',
  first: 'd’abord {price}, puis {later}',
  join: 'Rejoindre {name}'
}

export default FRENCH
