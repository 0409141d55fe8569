import { takenKinds } from '@/lib/browser/files/refusals'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

/** Over the whole window while files are dragged across it: they can be let go anywhere. */
export function DropTarget({ model }: { model: ModelCard | undefined }) {
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-[rgb(10_12_16/0.45)] p-6">
      <div
        role="status"
        className="enter rounded-composer border-2 border-dashed border-accent bg-surface px-10 py-8 text-center shadow-over"
      >
        <p className="font-serif text-24">{t('Drop files anywhere')}</p>
        {model && (
          <p className="mt-1.5 text-14 text-ink-2">
            {t('{model} accepts {kinds}.', { model: model.name, kinds: takenKinds(model) })}
          </p>
        )}
      </div>
    </div>
  )
}
