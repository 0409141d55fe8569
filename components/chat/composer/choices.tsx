import type { ReactNode } from 'react'

type Choice<V extends string> = { value: V; label: string; hint?: ReactNode }
type ChoicesProps<V extends string> = {
  legend: string
  name: string
  choices: Choice<V>[]
  value: V
  onChange: (value: V) => void
}

/** One of a few, each with a line that says what it does and costs. */
export function Choices<V extends string>({ legend, name, choices, value, onChange }: ChoicesProps<V>) {
  return (
    <fieldset className="min-w-0">
      <legend className="px-2 pt-2 pb-1 text-12 font-medium text-ink-3">{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={ROW}>
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
            className="mt-[3px] size-4 shrink-0"
          />
          <Words {...choice} />
        </label>
      ))}
    </fieldset>
  )
}

type SwitchProps = { label: string; hint?: ReactNode; isOn: boolean; onChange: (isOn: boolean) => void }

/** On or off. */
export function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  return (
    <label className={ROW}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-[3px] size-4 shrink-0"
      />
      <Words label={label} hint={hint} />
    </label>
  )
}

function Words({ label, hint }: { label: string; hint?: ReactNode }) {
  return (
    <span className="min-w-0">
      <span className="block text-14 text-ink">{label}</span>
      {hint && <span className="block text-12 text-ink-2">{hint}</span>}
    </span>
  )
}

const ROW = 'flex min-h-9 items-start gap-2.5 rounded-control px-2 py-1.5 hover:bg-hover pointer-coarse:min-h-11'
