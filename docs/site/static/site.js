// Films play while they can be seen: those of a page at once, those of the gallery's cards while they are pointed at, or, where nothing
// can be pointed with, while they are on the screen. Who asked the system for less motion starts them by hand.
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const play = film => { if (!still) film.play().catch(() => {}); };
const seen = new IntersectionObserver(entries => {
    for (const entry of entries) entry.isIntersecting ? play(entry.target) : entry.target.pause();
}, {threshold: 0.4});
const touched = matchMedia("(hover: none)").matches, few = document.querySelectorAll(".model-card").length < 10;
for (const card of document.querySelectorAll(".model-card")) {
    const film = card.querySelector("video");
    if (touched || few) seen.observe(film);
    for (const name of ["mouseenter", "focus"]) card.addEventListener(name, () => play(film));
    if (!few) for (const name of ["mouseleave", "blur"]) card.addEventListener(name, () => film.pause());
}
for (const film of document.querySelectorAll("video.film")) seen.observe(film);

// The gallery's field finds models by words of their titles and sentences.
const filter = document.querySelector(".model-filter");
if (filter) {
    filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        for (const card of document.querySelectorAll(".model-card"))
            card.hidden = !words.every(word => card.dataset.words.includes(word));
    });
}
