// The sign of Segue: two lines that become one.

export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <g fill="none" strokeWidth="2.6" strokeLinecap="round" className="stroke-on-accent">
        <path d="M8 9h7c4 0 4 6.5 8 6.5" />
        <path d="M8 23h7c4 0 4-7.5 8-7.5" opacity=".62" />
      </g>
      <circle cx="24" cy="15.5" r="2.8" className="fill-on-accent" />
    </svg>
  );
}
