//! How many work-items run.

/// The index space of a launch: 1 to 3 dimensions of work-items, and optionally the size of work-groups.
///
/// ```
/// use netcl::raw::Grid;
/// let linear = Grid::from(1024);                     // the driver chooses work-groups
/// let square = Grid::from([512, 512]).in_groups([16, 16]);
/// assert_eq!(square.groups(), Some(&[16, 16][..]));
/// # assert_eq!(linear.items(), [1024]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    items: GridExtent,
    groups: Option<GridExtent>,
}

/// Up to three numbers, so that a grid needs no memory of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GridExtent {
    /// How many were given; those after the third are not kept, and no kernel runs over as many.
    given: usize,
    sizes: [usize; 3],
}

impl GridExtent {
    fn of(given: &[usize]) -> GridExtent {
        let mut sizes = [1; 3];
        sizes.iter_mut().zip(given).for_each(|(size, &given)| *size = given);
        GridExtent { given: given.len(), sizes }
    }

    fn get(&self) -> &[usize] {
        &self.sizes[..self.given.min(3)]
    }
}

impl Grid {
    /// With work-groups of this size, one number for each dimension. The numbers of work-items must be multiples.
    #[must_use]
    pub fn in_groups<const D: usize>(mut self, groups: [usize; D]) -> Grid {
        self.groups = Some(GridExtent::of(&groups));
        self
    }

    /// At least `items` work-items, rounded up to whole work-groups of `group`: the kernel must skip those past the end. Where a
    /// `usize` does not hold so many, as many whole groups as it holds: more than any device takes, which the launch then says.
    pub fn rounded_up(items: usize, group: usize) -> Grid {
        let group = group.max(1);
        let items = items.checked_next_multiple_of(group).unwrap_or(usize::MAX - usize::MAX % group);
        Grid::from(items).in_groups([group])
    }

    /// Work-items along each dimension, of the first three.
    pub fn items(&self) -> &[usize] {
        self.items.get()
    }

    /// How many dimensions were asked for; a kernel takes 1 to 3.
    pub fn dimensions(&self) -> usize {
        self.items.given
    }

    /// How many numbers of a work-group were given; `None` leaves it to the driver.
    pub(super) fn group_dimensions(&self) -> Option<usize> {
        self.groups.as_ref().map(|groups| groups.given)
    }

    /// Work-items of a work-group along each dimension, of the first three; `None` leaves it to the driver.
    pub fn groups(&self) -> Option<&[usize]> {
        self.groups.as_ref().map(GridExtent::get)
    }
}

impl From<usize> for Grid {
    fn from(items: usize) -> Grid {
        Grid { items: GridExtent::of(&[items]), groups: None }
    }
}

impl<const D: usize> From<[usize; D]> for Grid {
    fn from(items: [usize; D]) -> Grid {
        Grid { items: GridExtent::of(&items), groups: None }
    }
}
