import { FlaskConical, WalletMinimal } from 'lucide-react'

type WalletIconProps = { icon?: string | undefined; isTest?: boolean; size?: 'row' | 'large' }

/** A wallet's own picture, which both standards give as a data URL, or a plain sign where it has none. */
export function WalletIcon({ icon, isTest = false, size = 'row' }: WalletIconProps) {
  const frame = `flex shrink-0 items-center justify-center overflow-hidden rounded-[22%] border border-line bg-surface ${size === 'row' ? 'size-9' : 'size-14'}`
  const Sign = isTest ? FlaskConical : WalletMinimal
  return (
    <span aria-hidden="true" className={frame}>
      {icon ? (
        // biome-ignore lint/performance/noImgElement: a data URL; there is nothing to optimise
        <img src={icon} alt="" className="size-full object-contain" />
      ) : (
        <Sign className={`text-ink-3 ${size === 'row' ? 'size-[18px]' : 'size-7'}`} strokeWidth={1.5} />
      )}
    </span>
  )
}
