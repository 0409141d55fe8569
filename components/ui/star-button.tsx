import { Star } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { t } from '@/lib/i18n/t'

type StarButtonProps = { name: string; isStarred: boolean; onStar: () => void }

export const StarButton = ({ name, isStarred, onStar }: StarButtonProps) => (
  <Button aria-pressed={isStarred} aria-label={t('Favourite: {name}', { name })} onClick={onStar}>
    <Star
      aria-hidden="true"
      className={`size-4 ${isStarred ? 'fill-current text-accent' : 'text-ink-3'}`}
      strokeWidth={1.5}
    />
    {t('Favourite')}
  </Button>
)
