import { Check } from 'lucide-react'
import { memo } from 'react'
import type { Choice } from '@/components/characters/picker-sections'
import { Portrait } from '@/components/characters/portrait'
import type { CharacterRef } from '@/lib/browser/storage/records'

type PickerOptionProps = {
  id: string
  choice: Choice
  isActive: boolean
  isChosen: boolean
  onPick: (character: CharacterRef) => void
}

/** One character in the list of the picker. */
export const PickerOption = memo(function PickerOption({ id, choice, isActive, isChosen, onPick }: PickerOptionProps) {
  const { ref, description } = choice
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: keys are handled by the search field, which keeps the focus
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      onClick={() => onPick(ref)}
      className={`flex cursor-default items-center gap-3 rounded-control px-2 py-1.5 [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto] pointer-coarse:py-2 ${isActive ? 'bg-hover' : 'hover:bg-hover'}`}
    >
      <Portrait character={ref} className="size-10 shrink-0 rounded-control" />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate font-serif text-16 leading-5">
          {ref.name}
        </span>
        <span dir="auto" className="block truncate text-12 text-ink-3">
          {description}
        </span>
      </span>
      {isChosen && <Check aria-hidden="true" className="size-4 shrink-0 text-accent" strokeWidth={2} />}
    </div>
  )
})
