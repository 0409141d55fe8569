import { Button } from '@/components/ui/button'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

/** Models offered by name; the others are in the picker. */
const MAX_OFFERED = 3

type ModelOfferProps = { reason: string; others: ModelCard[]; onPickModel: (id: string) => void }

/** Why the files cannot go like this, and who would take them. */
export function ModelOffer({ reason, others, onPickModel }: ModelOfferProps) {
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1.5 px-1 pt-1.5 text-13">
      <span className="text-danger">{reason}</span>
      {others.slice(0, MAX_OFFERED).map((model) => (
        <Button key={model.id} onClick={() => onPickModel(model.id)} className="min-h-8! text-13!">
          {t('Use {name}', { name: model.name })}
        </Button>
      ))}
      {others.length === 0 && (
        <span className="text-ink-2">{t('No model accepts all of these files. Remove some.')}</span>
      )}
    </div>
  )
}
