import { Sentence } from '@/components/ui/sentence'

/** Says plainly that nothing here is worth anything. */
export function TestMoney() {
  return (
    <p className="border-s-2 border-brass ps-3 text-13 text-ink-2">
      <Sentence
        text="<strong>Test money.</strong> The sandbox chains run on this machine. No real money moves."
        parts={{ strong: (words) => <strong className="font-medium text-brass">{words}</strong> }}
      />
    </p>
  )
}
