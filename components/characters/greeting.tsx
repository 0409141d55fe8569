export function Greeting({ text }: { text: string }) {
  if (text.trim() === '') return null
  return (
    <blockquote
      dir="auto"
      className="rounded-[18px] rounded-ss-control bg-bubble px-4 py-3 text-16 wrap-anywhere whitespace-pre-line"
    >
      {text}
    </blockquote>
  )
}
