/** What a character says first, as it will stand in the chat. Its words are anybody's: plain text. */
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
