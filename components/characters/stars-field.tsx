import { Star } from 'lucide-react'
import { plural, t } from '@/lib/i18n/t'

const STARS = [1, 2, 3, 4, 5]

type StarsFieldProps = { value: number; onChange: (value: number) => void }

/** One to five stars: radio buttons, so that arrows and screen readers know what to do. */
export function StarsField({ value, onChange }: StarsFieldProps) {
  return (
    <fieldset>
      <legend className="mb-1 text-13 font-medium text-ink-2">{t('Your rating')}</legend>
      <div className="flex">
        {STARS.map((star) => (
          <label
            key={star}
            className="relative flex size-9 cursor-pointer items-center justify-center rounded-control has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:size-11"
          >
            <input
              type="radio"
              name="rating"
              aria-label={plural(star, { one: '{count} star', other: '{count} stars' })}
              checked={value === star}
              onChange={() => onChange(star)}
              className="absolute inset-0 size-full cursor-pointer opacity-0"
            />
            <Star
              aria-hidden="true"
              className={`size-5 ${star <= value ? 'fill-current text-accent' : 'text-ink-3'}`}
              strokeWidth={1.5}
            />
          </label>
        ))}
      </div>
    </fieldset>
  )
}
